import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, seated, type World } from "../support/world.ts";

/** Every call that names a lobby or a player, as one namespace makes it. */
async function everyCall(world: World, lobbyId: string, playerId: string, ownLobbyId: string) {
  return [
    await world.join(lobbyId),
    await world.setReady(lobbyId),
    await world.setClosed(lobbyId),
    await world.execute<"setState">({ type: "setState", lobbyId, state: "1" }),
    await world.execute<"setPorts">({ type: "setPorts", lobbyId, ports: "{}" }),
    await world.heartbeat(lobbyId, [playerId], true),
    await world.stop(lobbyId),
    await world.connect(lobbyId, playerId),
    await world.disconnect(lobbyId, playerId),
    await world.connect(ownLobbyId, playerId),
    await world.disconnect(ownLobbyId, playerId),
    await world.release([playerId]),
    await world.lobby(lobbyId),
    await world.read<"players">({ type: "players", lobbyId }),
  ];
}

export function isolationSuite(factory: EngineFactory): void {
  describe("isolation", () => {
    test("[IS1] [I19] a foreign id answers exactly like an unknown one, at every call, and changes nothing", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 9, party: 2 });
      await world.connect(lobby.id, lobby.players[0]!);
      const before = [await world.lobby(lobby.id), await world.counts()];
      const neighbour = await world.neighbour();
      const own = await neighbour.ready();
      const unknown = await everyCall(neighbour, neighbour.id(), neighbour.id(), own.id);
      expect(await everyCall(neighbour, lobby.id, lobby.players[0]!, own.id)).toEqual(unknown);
      expect(await everyCall(neighbour, lobby.id, lobby.players[1]!, own.id)).toEqual(unknown);
      expect([await world.lobby(lobby.id), await world.counts()]).toEqual(before);
    });

    test("[IS2] [I19] finds, limits, clients, keys, lists and clocks of two namespaces know nothing of each other", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 1, maxPlayersPerClient: 1 });
      const neighbour = await world.neighbour();
      const mine = seated(await world.find({ key: "k", body: "one", create: { maxPlayers: 9 } }));
      const theirs = seated(await neighbour.find({ key: "k", body: "two", create: { maxPlayers: 9 } }));
      expect(theirs).toMatchObject({ isNewLobby: true, isReplay: false });
      expect(theirs.lobby.lobbyId).not.toBe(mine.lobby.lobbyId);
      neighbour.now += 300_000;
      await neighbour.pass(0);
      expect(await neighbour.statusOf(theirs.lobby.lobbyId)).toBe("stopped: not_ready");
      expect(await world.statusOf(mine.lobby.lobbyId)).toBe("starting");
      const all = { type: "listAllLobbies", includeStopped: true, after: null, limit: 10 } as const;
      expect((await world.read<"listAllLobbies">(all)).lobbies).toHaveLength(1);
      await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
      expect((await neighbour.read<"listAllLobbies">(all)).lobbies).toHaveLength(1);
    });

    test("[IS3] a namespace that was never configured has nothing and takes nothing", async () => {
      const world = await createWorld(factory);
      const stranger = await world.neighbour();
      await stranger.execute<"removeNamespace">({ type: "removeNamespace", force: true });
      await stranger.pass(600_000);
      expect(await stranger.find()).toEqual({ ok: false, code: "STALE_REVISION" });
      expect(await stranger.setReady(stranger.id())).toEqual({ ok: false, code: "LOBBY_NOT_FOUND" });
      expect(await stranger.counts()).toMatchObject({ revision: null, starting: 0 });
      expect(await world.read<"namespaces">({ type: "namespaces" })).toEqual([
        { namespaceId: world.namespaceId, nextDueAt: null },
      ]);
    });
  });
}
