import { expect, test } from "vitest";
import { type Simulated, simulate } from "./simulation.ts";

const historiesPerSeed = 140;

/**
 * Random histories of two namespaces on one engine, with clocks that jump, restarts, deploys and a store that fails, each
 * answer compared with a model that was written from the rules. More of them: npm run simulate -- --steps 10000000 --seed 7
 */
export function modelInMemory(seeds: readonly number[], stepsWanted: number): void {
  const runs: Simulated[] = [];

  test.each(seeds)(
    "[I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I9] [I11] [I13] [I15] [I16] [I17] [I18] [I19] [I23] [I24] [CO4] seed %i",
    { timeout: 900_000 },
    async (seed) => {
      runs.push(await simulate(seed, historiesPerSeed));
    },
  );

  test("there were enough steps, and what matters happened in them", () => {
    const count = (outcome: string) => runs.reduce((sum, { outcomes }) => sum + (outcomes.get(outcome) ?? 0), 0);
    const steps = runs.reduce((sum, run) => sum + run.steps, 0);
    console.log(`model: ${steps} steps, seeds ${seeds.join(" ")}`);
    expect(steps).toBeGreaterThanOrEqual(stepsWanted);
    expect(wanted.filter((outcome) => count(outcome) < stepsWanted / 10_000)).toEqual([]);
  });
}

const wanted = [
  "configure ok",
  "connectPlayer PLAYER_ALREADY_CONNECTED",
  "connectPlayer PLAYER_IN_DIFFERENT_LOBBY",
  "connectPlayer PLAYER_REMOVED",
  "connectPlayer PLAYER_RESERVATION_EXPIRED",
  "connectPlayer ok",
  "connectPlayer unavailable",
  "createLobby CODES_TAKEN",
  "createLobby IDEMPOTENCY_KEY_REUSED",
  "createLobby NOT_NEEDED",
  "createLobby NO_AVAILABLE_LOBBIES",
  "createLobby NO_VERSION_DEPLOYED",
  "createLobby STALE_REVISION",
  "createLobby TOO_MANY_LOBBIES",
  "createLobby TOO_MANY_PLAYERS_FROM_SOURCE",
  "createLobby ok",
  "disconnectPlayer ok",
  "find CODES_TAKEN",
  "find IDEMPOTENCY_KEY_REUSED",
  "find NO_AVAILABLE_LOBBIES",
  "find NO_VERSION_DEPLOYED",
  "find STALE_REVISION",
  "find TOO_MANY_LOBBIES",
  "find TOO_MANY_PLAYERS_FROM_SOURCE",
  "find ok",
  "find unavailable",
  "heartbeat LOBBY_STOPPED",
  "heartbeat ok",
  "join JOIN_DISABLED",
  "join LOBBY_FULL",
  "join LOBBY_NOT_FOUND",
  "join LOBBY_STOPPED",
  "join ok",
  "removeNamespace NAMESPACE_NOT_EMPTY",
  "removeNamespace ok",
  "restart",
  "setClosed ok",
  "setOperatorClosed ok",
  "closeRegistered ok",
  "endSeats ok",
  "setReady ok",
  "stopLobby ok",
];
