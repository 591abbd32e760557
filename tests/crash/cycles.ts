import { createRandom } from "../histories/load.ts";
import { createNamespace, type Namespace, startServer } from "../support/server.ts";
import { createLedger, type Ledger } from "./acknowledged.ts";
import { playUntilKilled } from "./load.ts";
import { verify } from "./verify.ts";

export interface CrashResult {
  readonly cycles: number;
  readonly acknowledgements: number;
  readonly violations: readonly string[];
}

const actors = 16;
/** After this many cycles a new game starts, so that checking does not take longer and longer. */
const cyclesPerGame = 10;

/** A server is killed after at most this many acknowledgements, wherever it is then, or after this time. */
const acknowledgementsMax = 600;
const lifeMsMax = 5000;

/** Kills the server at random moments under load, starts it again on what it left, and compares with what it had acknowledged. */
export async function runCrashCycles(
  dataDir: string,
  options: { cycles: number; seed: number; onCycle?: (cycle: number, ledger: Ledger) => void },
): Promise<CrashResult> {
  const random = createRandom(options.seed);
  const gameMode = { max_players: 4, timeouts: { reservation_s: 3600, ready_s: 3600, reconnect_s: 3600 } };
  const limits = { lobby_count_max: 100_000, max_players: 100, max_players_per_client: null };
  let server = await startServer(dataDir);
  let acknowledgements = 0;
  let namespace: Namespace | null = null;
  let ledger = createLedger();
  const violations: string[] = [];
  try {
    for (let cycle = 0; cycle < options.cycles && violations.length === 0; cycle++) {
      if (namespace === null || cycle % cyclesPerGame === 0) {
        namespace = await createNamespace(server, `crash-${cycle}`, gameMode, limits);
        ledger = createLedger();
      }
      const before = ledger.acknowledgements;
      const { kill } = server;
      const target = before + Math.floor(random() * acknowledgementsMax);
      const killed = reached(() => ledger.acknowledgements >= target, lifeMsMax).then(kill);
      const game = namespace;
      const seed = options.seed * 10_000 + cycle;
      const plays = Array.from({ length: actors }, (_, i) => playUntilKilled(server, game, ledger, i, seed));
      await Promise.all([killed, ...plays]);
      server = await startServer(dataDir);
      violations.push(...(await verify(server, namespace, ledger)));
      acknowledgements += ledger.acknowledgements - before;
      options.onCycle?.(cycle + 1, ledger);
    }
    return { cycles: options.cycles, acknowledgements, violations };
  } finally {
    await server.kill();
  }
}

async function reached(isSo: () => boolean, withinMs: number): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while (!isSo() && performance.now() < endsAt) await new Promise((resolve) => setTimeout(resolve, 1));
}
