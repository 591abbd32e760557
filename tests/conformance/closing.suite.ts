import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, seated, versionA, versionB } from "../support/world.ts";

export function closingSuite(factory: EngineFactory): void {
  describe("closing and opening", () => {
    test("[CL1] [I7] no find returns a closed lobby", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4, party: 1, tags: { map: "ice" } });
      expect(await world.setClosed(lobby.id)).toEqual({ ok: true, isChanged: true });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ tags: { map: "ice" } })).toBe("NO_AVAILABLE_LOBBIES");
      expect(seated(await world.find()).lobby.lobbyId).not.toBe(lobby.id);
    });

    test("[CL2] players stay, reserved seats stay valid, the lobby runs on, joins work", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4, party: 2 });
      await world.connect(lobby.id, lobby.players[0]!);
      await world.setClosed(lobby.id);
      expect(await world.lobby(lobby.id)).toMatchObject({ status: "ready", connected: 1, reserved: 1, isClosed: true });
      expect(await world.connect(lobby.id, lobby.players[1]!)).toEqual({ ok: true, isReturn: false });
      expect((await world.join(lobby.id)).ok).toBe(true);
    });

    test("[CL3] [I8] [I10] it stays closed through ready, joins, connects, leaves, expiry, limits, deploys and restarts", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ maxPlayers: 9, party: 3, reservationMs: 1000 });
      await world.setClosed(id);
      const isStillClosed = async () => {
        expect((await world.lobby(id))?.isClosed).toBe(true);
        expect(await world.route({ pairs: [{ gameMode: "duel", region: "local" }] })).toBe("NO_AVAILABLE_LOBBIES");
      };
      await world.setReady(id);
      await isStillClosed();
      await world.connect(id, players[0]!);
      await isStillClosed();
      seated(await world.join(id));
      await isStillClosed();
      await world.disconnect(id, players[1]!);
      await isStillClosed();
      await world.pass(1000);
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
      await isStillClosed();
      await world.configure({ maxPlayers: 50, lobbyCountMax: 7 });
      await isStillClosed();
      await world.configure({ versionId: versionB });
      await world.configure({ versionId: versionA });
      await isStillClosed();
      await world.heartbeat(id, [players[0]!], false);
      await isStillClosed();
      await world.restart();
      await isStillClosed();
    });

    test("[CL4] [I9] an opened lobby is routable again at once", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4, tags: { map: "ice" } });
      await world.setClosed(lobby.id);
      expect(await world.setClosed(lobby.id, false)).toEqual({ ok: true, isChanged: true });
      expect(await world.route({ tags: { map: "ice" } })).toBe(lobby.id);
      expect(await world.route()).toBe(lobby.id);
    });

    test("[CL5] closing and opening twice is the same as once", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4 });
      expect(await world.setClosed(lobby.id, false)).toEqual({ ok: true, isChanged: false });
      await world.setClosed(lobby.id);
      expect(await world.setClosed(lobby.id)).toEqual({ ok: true, isChanged: false });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.setClosed(lobby.id, false);
      expect(await world.route()).toBe(lobby.id);
    });

    test("[CL6] a starting lobby may close itself, and opens only when it says so", async () => {
      const world = await createWorld(factory);
      const lobby = await world.starting({ maxPlayers: 4 });
      expect(await world.route()).toBe(lobby.id);
      await world.setClosed(lobby.id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.setReady(lobby.id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.setClosed(lobby.id, false);
      expect(await world.route()).toBe(lobby.id);
    });
  });
}
