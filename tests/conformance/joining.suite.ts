import { describe, expect, test } from "vitest";
import { bob, createWorld, type EngineFactory, refusal, rememberedMs, seated, versionB } from "../support/world.ts";

export function joiningSuite(factory: EngineFactory): void {
  describe("joining", () => {
    test("[J1] a join takes seats in the lobby with that id, and an unknown id is not found", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4 });
      const joined = seated(await world.join(lobby.id, { party: 3 }));
      expect(joined).toMatchObject({ isNewLobby: false, isReplay: false, lobby: { lobbyId: lobby.id, reserved: 3 } });
      expect(joined.playerIds).toHaveLength(3);
      expect(await world.join(world.id())).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[J2] [I8] closed, private, silent, starting and outdated lobbies take joins and stay what they are", async () => {
      const world = await createWorld(factory);
      const closed = await world.ready({ party: 1 });
      await world.setClosed(closed.id);
      const hidden = await world.ready({ isPrivate: true, party: 1 });
      const silent = await world.ready({ heartbeatMs: 1000, party: 1 });
      await world.pass(1000);
      const starting = await world.starting({ party: 1 });
      await world.setClosed(starting.id);
      for (const { id } of [closed, hidden, silent, starting]) expect((await world.join(id)).ok).toBe(true);
      expect(await world.lobby(closed.id)).toMatchObject({ isClosed: true, reserved: 2 });
      expect(await world.lobby(hidden.id)).toMatchObject({ isPrivate: true, reserved: 2 });
      expect(await world.lobby(silent.id)).toMatchObject({ isSilent: true, reserved: 2 });
      expect(await world.lobby(starting.id)).toMatchObject({ status: "starting", isClosed: true, reserved: 2 });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      const outdated = await world.ready({ party: 1 });
      await world.configure({ versionId: versionB });
      expect(seated(await world.join(outdated.id)).lobby).toMatchObject({ isOutdated: true, reserved: 2 });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[J3] [I1] [I4] a join fills a lobby to its direct maximum, and a party at the edge all or nothing", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 2, maxPlayersDirect: 4, party: 2 });
      expect(await world.join(lobby.id, { party: 3 })).toEqual(refusal("LOBBY_FULL"));
      expect((await world.join(lobby.id, { party: 2 })).ok).toBe(true);
      expect(await world.join(lobby.id)).toEqual(refusal("LOBBY_FULL"));
      expect((await world.lobby(lobby.id))?.reserved).toBe(4);
    });

    test("[J3] [I1] the namespace's maximum limits joins too, and 0 refuses all", async () => {
      const world = await createWorld(factory, { maxPlayers: 3 });
      const lobby = await world.ready({ maxPlayers: 9, party: 2 });
      expect((await world.join(lobby.id)).ok).toBe(true);
      expect(await world.join(lobby.id)).toEqual(refusal("LOBBY_FULL"));
      await world.configure({ maxPlayers: 0 });
      const other = await world.ready({ maxPlayers: 9 });
      expect(await world.join(other.id)).toEqual(refusal("LOBBY_FULL"));
    });

    test("[J4] a stopped lobby says so for 10 minutes, then it is not found", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ party: 1 });
      await world.stop(lobby.id);
      expect(await world.join(lobby.id)).toEqual(refusal("LOBBY_STOPPED"));
      world.now += rememberedMs - 1;
      expect(await world.join(lobby.id)).toEqual(refusal("LOBBY_STOPPED"));
      world.now += 1;
      expect(await world.join(lobby.id)).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[J5] joining a lobby one sits in already is another seat, and so is coming back", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4 });
      const first = seated(await world.join(lobby.id)).playerIds[0]!;
      const second = seated(await world.join(lobby.id)).playerIds[0]!;
      expect(second).not.toBe(first);
      await world.connect(lobby.id, first);
      await world.disconnect(lobby.id, first);
      expect((await world.join(lobby.id)).ok).toBe(true);
      expect((await world.lobby(lobby.id))?.reserved).toBe(2);
    });

    test("[J6] of several reasons to refuse, the first of the order is given", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 1 });
      const full = await world.ready({ party: 1, maxPlayers: 1 });
      expect(await world.join(world.id(), { party: 2, revision: 0 })).toEqual(refusal("STALE_REVISION"));
      expect(await world.join(world.id(), { party: 2 })).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect(await world.join(full.id, { party: 2, client: bob })).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect(await world.join(full.id)).toEqual(refusal("LOBBY_FULL"));
      const shut = await world.ready({ maxPlayers: 1, isJoinable: false });
      expect(await world.join(shut.id, { party: 2, client: bob })).toEqual(refusal("JOIN_DISABLED"));
      await world.stop(shut.id);
      expect(await world.join(shut.id, { party: 2, client: bob })).toEqual(refusal("LOBBY_STOPPED"));
      await world.stop(full.id);
      expect(await world.join(full.id, { party: 2 })).toEqual(refusal("LOBBY_STOPPED"));
    });

    test("[J7] a lobby whose game mode does not allow join refuses joins, starting or ready, and can still be found", async () => {
      const world = await createWorld(factory);
      const starting = await world.starting({ isJoinable: false, party: 1, maxPlayers: 3 });
      expect(await world.join(starting.id)).toEqual(refusal("JOIN_DISABLED"));
      await world.setReady(starting.id);
      expect(await world.join(starting.id)).toEqual(refusal("JOIN_DISABLED"));
      const external = await world.ready({ isJoinable: false, isExternal: true, isPrivate: true });
      expect(await world.join(external.id)).toEqual(refusal("JOIN_DISABLED"));
      expect((await world.lobby(starting.id))?.reserved).toBe(1);
      expect(await world.route()).toBe(starting.id);
      await world.restart();
      expect(await world.join(starting.id)).toEqual(refusal("JOIN_DISABLED"));
    });
  });
}
