import { expect, inject, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { orderedItems } from "../../src/matchmaker/ordered-set.ts";
import type { State } from "../../src/matchmaker/state.ts";
import { checkInvariants } from "../support/invariants.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { createWorld, rememberedMs, seated, versionB, type World } from "../support/world.ts";

closeAfterEach();

test("[ST7] after a drain every map of the memory engine is empty, and its journal has only the namespace", async () => {
  const journal = createMemoryJournal();
  const engine = await createMemoryEngine(journal);
  const state = (world: World): State => engine.states().get(world.namespaceId)!;
  const world = await createWorld(async () => ({
    engine,
    check: (namespaceId) => checkInvariants(engine.states().get(namespaceId)!),
    restart: () => Promise.reject(new Error("This test does not restart the engine.")),
  }));
  await playAll(world);
  expect(Object.entries(sizesOf(state(world))).filter(([, size]) => size === 0)).toEqual([]);
  await drain(world);
  const empty = {
    lobbies: 0,
    players: 0,
    keys: 0,
    codes: 0,
    clients: 0,
    pools: 0,
    timers: 0,
    lobbiesById: 0,
    seatKeys: 0,
  };
  expect(sizesOf(state(world))).toEqual(empty);
  const stored = [...(await journal.load()).values()].flat();
  expect(stored.map(({ entity }) => entity)).toEqual(["namespace"]);
  await engine.close();
});

test("[ST7] after a drain Redis has only the namespace's record, its events and the latest answers", async () => {
  const one = await openEngine(inject("redisUrl"));
  const world = await createWorld(async () => underTest(one, inject("redisUrl")));
  const stem = `${one.prefix}:{${world.namespaceId}}:`;
  const keys = async () => {
    const found = (await one.link.call("KEYS", `${one.prefix}:{${world.namespaceId}}:*`)) as string[];
    return found.map((key) => key.slice(stem.length));
  };
  await playAll(world);
  expect((await keys()).length).toBeGreaterThan(30);
  await drain(world);
  // Answers of the last 30 seconds, which Redis itself removes.
  expect((await keys()).filter((key) => !key.startsWith("op:")).sort()).toEqual(["events", "ns"]);
});

/** Something of every kind that a namespace can hold, in every state, some of it twice. */
async function playAll(world: World): Promise<void> {
  await world.configure({ maxPlayersPerClient: 50, idle: [] });
  for (let round = 0; round < 2; round++) {
    const open = await world.ready({ party: 2, maxPlayers: 8, reconnectMs: 60_000, codes: [`CODE${round}`] });
    await world.connect(open.id, open.players[0]!);
    await world.disconnect(open.id, open.players[0]!, true);
    const found = seated(await world.find({ key: `key-${round}`, keys: [`player-${round}`, ""] }));
    await world.connect(found.lobby.lobbyId, found.playerIds[0]!);
    await world.join(open.id, { client: "198.51.100.7", party: 2 });
    const tagged = seated(await world.find({ tags: { map: `m${round}`, skill: "high" }, create: {} }));
    await world.setReady(tagged.lobby.lobbyId);
    await world.setClosed(tagged.lobby.lobbyId);
    const hidden = await world.ready({ isPrivate: true, party: 1 });
    await world.execute({ type: "placeLobby", lobbyId: hidden.id, nodeId: `node-${round}` });
    await world.setOperatorClosed(hidden.id);
    const registered = await world.ready({ isExternal: true, heartbeatMs: 10_000 });
    await world.heartbeat(registered.id, []);
    const left = await world.ready({ party: 1 });
    await world.connect(left.id, left.players[0]!);
    await world.disconnect(left.id, left.players[0]!);
    await world.starting({ party: 1 });
    if (round === 0) await world.stop(open.id);
    await world.pass(1000);
  }
  // Half of the lobbies are of another version.
  await world.configure({ versionId: versionB });
  await world.ready({ party: 1 });
}

async function drain(world: World): Promise<void> {
  const all = { type: "listAllLobbies", includeStopped: false, after: null, limit: 500 } as const;
  const { lobbies } = await world.read<"listAllLobbies">(all);
  for (const { lobbyId } of lobbies) await world.stop(lobbyId);
  // Seats and stopped lobbies are remembered for so long after they have ended.
  await world.pass(rememberedMs);
  await world.pass(1);
  expect(await world.counts()).toMatchObject({ starting: 0, ready: 0, nextDueAt: null });
}

function sizesOf(state: State) {
  const { lobbies, players, keys, codes, clients, pools, timers, lobbiesById, seatKeys } = state;
  return {
    lobbies: lobbies.size,
    players: players.size,
    keys: keys.size,
    codes: codes.size,
    clients: clients?.size,
    pools: pools.size,
    timers: [...orderedItems(timers)].length,
    lobbiesById: [...orderedItems(lobbiesById)].length,
    seatKeys: seatKeys.seats.size + [...orderedItems(seatKeys.ordered)].length,
  };
}
