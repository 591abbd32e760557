import { expect } from "vitest";
import { checkHistory, describeViolations, type Limits } from "../checker/check-history.ts";
import type { Operation } from "../checker/history.ts";
import { type LoadOptions, runLoad } from "../histories/load.ts";
import { createNamespace, type Namespace } from "../support/server.ts";
import { type Balanced, openBalanced } from "./balanced.ts";
import type { Installation } from "./nodes.ts";

export interface Playing extends Balanced {
  readonly namespace: Namespace;
  readonly namespaceId: string;
  /** Ends the load and gives what its clients saw. */
  end(): Promise<Operation[]>;
}

const limits: Limits = { reservationMs: 2000, reconnectMs: 3_600_000, perClientMax: 12, lobbyCountMax: 40 };
const sizes = { capacity: 4, directCapacity: 6 };

/** Clients and lobbies of one namespace, on all nodes at once, until the test ends them. */
export async function startPlaying({ nodes }: Installation, name: string, seed = 1, actors = 24): Promise<Playing> {
  const gameMode = {
    max_players: sizes.capacity,
    max_players_direct: sizes.directCapacity,
    timeouts: { reservation_s: limits.reservationMs / 1000, ready_s: 60, reconnect_s: 3600 },
  };
  const namespace = await createNamespace(nodes[0]!.server(), name, gameMode, {
    lobby_count_max: limits.lobbyCountMax!,
    max_players: 100,
    max_players_per_client: limits.perClientMax,
  });
  const balanced = openBalanced(
    nodes.map(({ port }) => port),
    actors + 8,
  );
  let isOver = false;
  const options: LoadOptions = {
    actors,
    seed,
    clients: 12,
    ...sizes,
    // The load asks each time whether there were enough; there are when the test says so.
    get operations() {
      return isOver ? 0 : Number.POSITIVE_INFINITY;
    },
  };
  let failure: unknown = null;
  const running = runLoad(balanced, namespace, options).catch((error: unknown): Operation[] => {
    failure = error;
    // No more answers come now; callers that wait for them fail at the end.
    balanced.close();
    return [];
  });
  return {
    ...balanced,
    namespace,
    namespaceId: namespace.path.split("/").at(-1)!,
    async end() {
      isOver = true;
      const history = await running;
      balanced.close();
      if (failure !== null) throw failure;
      return history;
    },
  };
}

/** [I1] [I4] [I5] [I7] [I9] [I15] [I16] by what was seen, and nothing less. */
export function expectSafe(history: readonly Operation[], what: string): void {
  const count = (outcome: string) => history.filter((operation) => operation.outcome === outcome).length;
  const violations = checkHistory(history, limits);
  console.log(
    `${what}: ${history.length} operations, ${count("ok")} ok, ${count("refused")} refused, ${count("lost")} unknown; ` +
      `${violations.length} violations`,
  );
  expect(violations.length, describeViolations(violations)).toBe(0);
  expect(count("ok")).toBeGreaterThan(200);
}

/** What was acknowledged just before a primary died may not have reached its replica: the outcome is unknown, as with a lost answer. */
export function doubting(history: readonly Operation[], fromMs: number, untilMs: number): Operation[] {
  return history.map((operation) =>
    operation.outcome === "ok" && operation.end >= fromMs && operation.start <= untilMs
      ? { ...operation, outcome: "lost", end: Number.POSITIVE_INFINITY }
      : operation,
  );
}
