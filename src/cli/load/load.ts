import { setTimeout as sleep } from "node:timers/promises";
import { all, createClient } from "../remote/client.ts";
import { confirm } from "../remote/confirm.ts";
import { CommandFailed, exitCodes, UsageError } from "../remote/exit-codes.ts";
import { createProgress, type Progress } from "../remote/progress.ts";
import type { Remote } from "../remote/run-remote.ts";
import { createFigures } from "./figures.ts";
import { openLiveLobbies } from "./live-lobbies.ts";
import { type LoadOptions, readOptions, refuseRemote } from "./options.ts";
import { type Deployed, openOwnLobbies } from "./own-lobbies.ts";
import { describeRun, type LoadResult, progressLine, report } from "./report.ts";
import { createSeatChecks, type SeatChecks } from "./seat-checks.ts";
import { type Playground, simulate } from "./simulate.ts";

const drawEveryMs = 250;
const lookEveryMs = 2_000;
const drainWithinMs = 10_000;

/** `foyer load`: simulated players that arrive, find seats, connect, play and leave. */
export async function load(remote: Remote): Promise<number> {
  const { parsed, terminal, signal } = remote;
  const options = readOptions(parsed);
  const { connection } = await remote.client();
  refuseRemote(connection.endpoint, parsed);
  const found = await readDeployed(remote, options);
  // After Ctrl-C the players still leave, and the namespace is removed.
  const client = createClient(connection);
  const deployed = { ...found, client };
  if (options.isLive) await askForLive(remote, deployed);
  const progress = createProgress(terminal);
  const name = `${deployed.game_id} / ${deployed.namespace.name_id}`;
  if (!remote.isJson) terminal.err(`${introduce(name, deployed, options)}\n`);
  const playground = options.isLive
    ? await openLiveLobbies(client, deployed, options)
    : await openOwnLobbies(client, deployed, options, progress);
  const checks = createSeatChecks(playground.seatsOf);
  let run: Omit<LoadResult, "checks">;
  try {
    run = await runAll(remote, deployed, options, playground, checks, progress);
  } finally {
    progress.clear();
    await playground.remove();
  }
  const result: LoadResult = { ...run, checks: checks.results() };
  remote.print(result, () => `\n${report(terminal, result)}`);
  if (signal.aborted && !remote.isJson) terminal.err("Ended early. Nothing is left behind.\n");
  return result.checks.every(({ ok }) => ok) ? exitCodes.done : exitCodes.failed;
}

async function runAll(
  { signal }: Remote,
  deployed: Deployed,
  options: LoadOptions,
  playground: Playground,
  checks: SeatChecks,
  progress: Progress,
): Promise<Omit<LoadResult, "checks">> {
  const figures = createFigures();
  const startedAt = performance.now();
  const passedMs = () => performance.now() - startedAt;
  const drawing = setInterval(() => progress.update(progressLine(figures, passedMs(), options)), drawEveryMs);
  const looking = lookAtLobbies(playground, checks, deployed);
  try {
    await simulate({ options, playground, figures, checks, signal });
    await checkDrained(playground, checks);
  } finally {
    clearInterval(drawing);
    await looking.stop();
  }
  if (figures.seated === 0 && !signal.aborted) checks.violation("seated", "No player got a seat.");
  return {
    endpoint: playground.players.connection.endpoint,
    game: deployed.game_id,
    namespace: deployed.namespace.name_id,
    is_live: options.isLive,
    game_modes: playground.modes,
    was_interrupted: signal.aborted,
    duration_ms: Math.round(passedMs()),
    ...describeRun(figures),
  };
}

/** Compares the operator's view with the maximum of each lobby, now and then. */
function lookAtLobbies({ params }: Playground, checks: SeatChecks, { client }: Deployed): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const look = async () => {
    while (!stopped.signal.aborted) {
      // A look that fails is left out: the calls of the players say what is wrong.
      const listed = client.games.namespaces.lobbies.list(params.game_id, params.namespace_id, { limit: 500 });
      const lobbies = await all(listed).catch(() => []);
      for (const { lobby_id, total_player_count, max_players_direct } of lobbies) {
        if (total_player_count <= max_players_direct) continue;
        checks.violation(
          "lobby_max",
          `Lobby ${lobby_id} has ${total_player_count} of ${max_players_direct} seats taken.`,
        );
      }
      await sleep(lookEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const looking = look();
  return {
    stop() {
      stopped.abort();
      return looking;
    },
  };
}

/** A lobby's own server may need a moment to report players who left. */
async function checkDrained(playground: Playground, checks: SeatChecks): Promise<void> {
  const endsAt = performance.now() + drainWithinMs;
  for (;;) {
    const left = await playground.countSeatsLeft();
    if (left === 0) return;
    if (performance.now() > endsAt) return checks.violation("drained", `${left} seats are still taken.`);
    await sleep(500);
  }
}

async function readDeployed(remote: Remote, { modes: wanted }: LoadOptions): Promise<Deployed> {
  const { client, ...params } = await remote.target();
  const { game_id } = params;
  const { namespace } = await client.games.namespaces.getGameNamespace(game_id, params.namespace_id);
  const where = `${game_id} / ${params.namespace_id}`;
  if (namespace.version_id === null)
    throw new CommandFailed(`Nothing is deployed in ${where}. foyer deploy does that.`);
  const { version } = await client.games.versions.getGameVersion(game_id, namespace.version_id);
  const known = Object.keys(version.config.game_modes);
  const unknown = wanted?.find((mode) => !known.includes(mode));
  if (unknown !== undefined) throw new UsageError(`Unknown game mode "${unknown}". Available: ${known.join(", ")}.`);
  return { client, game_id, namespace, config: version.config, modes: wanted ?? known.slice(0, 1) };
}

function introduce(name: string, { modes }: Deployed, options: LoadOptions): string {
  const where = options.isLive ? `in ${name} itself` : `with the game modes of ${name}, in a namespace of its own`;
  const { players, rate, durationMs, party } = options;
  const parties = party > 1 ? ` in parties of ${party}` : "";
  return `Load on ${modes.join(", ")} ${where}: for ${durationMs / 1_000} s ${rate} players a second arrive${parties}, at most ${players} at the same time.`;
}

async function askForLive({ terminal, parsed }: Remote, { game_id, namespace }: Deployed): Promise<void> {
  const what = `Simulated players will take seats in ${game_id} / ${namespace.name_id}, among its real players`;
  await confirm({ terminal, parsed }, what);
}
