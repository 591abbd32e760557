import { expect, inject, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { closeAfterEach, openEngine } from "../support/redis-engine.ts";
import { compareEngines } from "./differential.ts";

const config = "--config vitest.long.config.ts";

/** Both engines get these random commands. From 20,000 on they must reach every outcome; a short run need not. */
export function differential(seed: number, commands: number): void {
  closeAfterEach();

  test("[RD1] the memory engine and the Redis engine give the same answers, reads and events, step by step", {
    timeout: 1_800_000,
  }, async () => {
    const memory = await createMemoryEngine(createMemoryJournal());
    const redis = await openEngine(inject("redisUrl"));
    const replay = `DIFFERENTIAL_SEED=${seed} DIFFERENTIAL_COMMANDS=${commands} npx vitest run ${config} tests/conformance/differential`;
    const compared = await compareEngines(memory, redis, seed, commands).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\nReplay: ${replay}`);
    });
    await memory.close();
    const { outcomes, ...counts } = compared;
    console.log(`differential: ${JSON.stringify(counts)}, seed ${seed}. Replay: ${replay}`);
    expect(compared.commands).toBeGreaterThanOrEqual(commands);
    const missed = commands < 20_000 ? [] : wanted.filter((outcome) => (outcomes.get(outcome) ?? 0) < 3);
    expect(missed).toEqual([]);
  });
}

const wanted = [
  "configure ok",
  "connectPlayer PLAYER_ALREADY_CONNECTED",
  "connectPlayer PLAYER_IN_DIFFERENT_LOBBY",
  "connectPlayer PLAYER_RESERVATION_EXPIRED",
  "connectPlayer ok",
  "createLobby CODES_TAKEN",
  "createLobby NOT_NEEDED",
  "createLobby ok",
  "disconnectPlayer ok",
  "expire LEASE_LOST",
  "expire ok",
  "find CODES_TAKEN",
  "find IDEMPOTENCY_KEY_REUSED",
  "find NO_AVAILABLE_LOBBIES",
  "find START_FAILED",
  "find STALE_REVISION",
  "find TOO_MANY_PLAYERS_FROM_SOURCE",
  "find ok",
  "heartbeat ok",
  "join LOBBY_FULL",
  "join LOBBY_STOPPED",
  "join ok",
  "placeLobby ALREADY_PLACED",
  "placeLobby ok",
  "player.expired expired",
  "player.held held",
  "player.left ended",
  "player.left left",
  "player.left not_returned",
  "player.left released",
  "player.returned connected",
  "releasePlayer PLAYER_ALREADY_CONNECTED",
  "releasePlayer ok",
  "releaseSeats ok",
  "removeNamespace ok",
  "restarted ok",
  "setClosed ok",
  "setPorts ok",
  "setReady ok",
  "setState ok",
  "stopLobby ok",
];
