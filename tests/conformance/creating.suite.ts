import { describe, expect, test } from "vitest";
import { bob, createWorld, duel, type EngineFactory, refusal, seated, versionA, versionB } from "../support/world.ts";

export function creatingSuite(factory: EngineFactory): void {
  describe("creating", () => {
    test("[C1] a created lobby starts with its party's seats reserved and everything it was given", async () => {
      const world = await createWorld(factory);
      const fields = { maxPlayers: 5, maxPlayersDirect: 7, tags: { map: "ice" }, lobbyConfig: '{"laps":3}' };
      const made = seated(await world.create("created", { ...fields, party: 2 }));
      expect(made).toMatchObject({ isNewLobby: true, isReplay: false });
      expect(made.lobby).toMatchObject({ ...fields, ...duel, versionId: versionA, status: "starting", reserved: 2 });
      expect(made.lobby).toMatchObject({ createReason: "created", createdBy: bob, isClosed: false, state: null });
      expect(await world.lobby(made.lobby.lobbyId)).toEqual(made.lobby);
    });

    test("[C2] a registered lobby reserves no seats, waits for ready like any other, and may be of any version", async () => {
      const world = await createWorld(factory);
      const ports = '{"default":{"hostname":"a.example","port":7777,"is_tls":false}}';
      const made = seated(await world.create("registered", { isExternal: true, ports }));
      expect(made.lobby).toMatchObject({ isExternal: true, ports, reserved: 0, createdBy: null, status: "starting" });
      expect(await world.route()).toBe(made.lobby.lobbyId);
      const other = seated(await world.create("registered", { isExternal: true, versionId: versionB }));
      expect(other.lobby.isOutdated).toBe(true);
    });

    test("[C3] a private lobby is never found and never listed, but joined by id", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ isPrivate: true, party: 1 });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      const list = { type: "listLobbies", gameModes: ["duel"], region: null, after: null, limit: 10 } as const;
      expect((await world.read<"listLobbies">(list)).lobbies).toEqual([]);
      expect((await world.join(lobby.id)).ok).toBe(true);
    });

    test("[C4] a party larger than the lobby or the namespace allows makes nothing", async () => {
      const world = await createWorld(factory, { maxPlayers: 3 });
      const none = refusal("NO_AVAILABLE_LOBBIES");
      expect(await world.create("created", { party: 3, maxPlayers: 2, maxPlayersDirect: 9 })).toEqual(none);
      expect(await world.create("created", { party: 4, maxPlayers: 9 })).toEqual(none);
      expect((await world.create("created", { party: 3, maxPlayers: 3 })).ok).toBe(true);
      expect(await world.counts()).toMatchObject({ starting: 1, reserved: 3 });
    });

    test("[C5] Foyer runs lobbies of the deployed version only", async () => {
      const world = await createWorld(factory);
      expect(await world.create("created", { versionId: versionB, party: 1 })).toEqual(refusal("STALE_REVISION"));
      expect(await world.find({ create: { versionId: versionB } })).toEqual(refusal("STALE_REVISION"));
      await world.configure({ versionId: null });
      expect(await world.create("created", { party: 1 })).toEqual(refusal("NO_VERSION_DEPLOYED"));
      expect(await world.counts()).toMatchObject({ starting: 0 });
    });

    test("[C6] of several reasons to refuse, the first of the order is given", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 0, maxPlayersPerClient: 2 });
      const create = (party: number) => world.create("created", { party, maxPlayers: 1 });
      expect(await create(3)).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect(await create(2)).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await create(1)).toEqual(refusal("TOO_MANY_LOBBIES"));
      expect(await world.create("registered", { isExternal: true })).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[C7] ports become known later, state is set and cleared, and both are published", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      expect(await world.execute<"setPorts">({ type: "setPorts", lobbyId: id, ports: "{}" })).toEqual({ ok: true });
      expect(await world.execute<"setState">({ type: "setState", lobbyId: id, state: '{"a":1}' })).toEqual({
        ok: true,
      });
      expect(await world.lobby(id)).toMatchObject({ ports: "{}", state: '{"a":1}' });
      await world.execute<"setState">({ type: "setState", lobbyId: id, state: null });
      expect(await world.lobby(id)).toMatchObject({ state: null });
    });
  });
}
