import { expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createStartGate } from "../../src/operations/capacity/crash-backoff.ts";
import { createSeatBudget } from "../../src/operations/capacity/seat-budget.ts";
import { createStartSlots } from "../../src/operations/capacity/start-slots.ts";
import type { Context } from "../../src/operations/context.ts";
import { createActivity } from "../../src/operations/insight/activity.ts";
import { createDecisions } from "../../src/operations/insight/decisions.ts";
import { createOperations } from "../../src/operations/matchmaking/create.ts";
import { createWaiting } from "../../src/operations/matchmaking/lobby-waiters.ts";
import { createNamespaceConfigs } from "../../src/operations/namespace-configs.ts";
import { emptyStore, newId, now as start, storedGame, storedNamespace, storedVersion } from "../store/fixtures.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";

const now = () => start;
const node = { places: 1, free: 1, heldBy: () => 0, claimants: () => 1 };
const client = { id: "192.0.2.1", network: null, isLimited: false, place: null };

/** A service with room for one lobby, without a driver that starts any: the first one keeps its slot, and time stands still. */
async function createContext() {
  const db = await emptyStore("sqlite");
  const { gameId } = await storedGame(db);
  const match = { max_players: 2, actions: { create: { enabled: true } }, runtime: { process: { command: "node" } } };
  const config = JSON.stringify({ regions: { local: {} }, game_modes: { match } });
  const { versionId } = await storedVersion(db, { gameId, config });
  const { namespaceId } = await storedNamespace(db, { gameId, versionId });
  const engine = await createMemoryEngine(createMemoryJournal());
  // Only what creates lobbies is made here.
  const context = {
    activity: createActivity(now),
    decisions: createDecisions(now, newId),
    configs: createNamespaceConfigs(db, engine, now),
    config: { maxLobbyProcesses: 1 },
    engine,
    gate: createStartGate(),
    nodes: { ownId: "node", all: () => [] },
    runtime: {},
    seatBudget: createSeatBudget(0, now),
    slots: createStartSlots({
      isPossible: true,
      describeShortage: () => "full",
      nodesFor: () => [node],
      poolFor: () => "",
      countedAfterMs: null,
      ask() {},
    }),
    waiting: createWaiting(engine, { waitMs: 0, waitersMax: 10, now }),
    warnOperator() {},
    now,
    newId,
  };
  const operations = createOperations(context as unknown as Context);
  const create = (idempotencyKey: string, seats = 1) =>
    operations["lobbies.create"]({
      caller: { kind: "pub", tokenId: newId(), namespaceId },
      client,
      idempotencyKey,
      body: { game_mode: "match", party_size: seats },
      whenGone: () => () => {},
    } as unknown as Parameters<(typeof operations)["lobbies.create"]>[0]);
  return { create, engine };
}

test("[GP5] a retry of a create is answered at once, though there is no room for another lobby", async () => {
  const { create } = await createContext();
  expect(await create("once")).toMatchObject({ code: "MATCHMAKER_LOBBY_NOT_READY" });
  // A call without a lobby would wait until there is room; here that would be for ever.
  expect(await create("once")).toMatchObject({ code: "MATCHMAKER_LOBBY_NOT_READY" });
  expect(await create("once", 2)).toMatchObject({ code: "MATCHMAKER_IDEMPOTENCY_KEY_REUSED" });
});
