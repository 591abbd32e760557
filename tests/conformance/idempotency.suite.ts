import { describe, expect, test } from "vitest";
import { bob, createWorld, type EngineFactory, refusal, rememberedMs, seated } from "../support/world.ts";

export function idempotencySuite(factory: EngineFactory): void {
  describe("idempotency", () => {
    test("[IK1] [I18] a retry gets the same lobby and players, takes nothing and counts toward no limit", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 2, lobbyCountMax: 1 });
      const first = seated(await world.find({ party: 2, key: "find k" }));
      const retries = await Promise.all(Array.from({ length: 5 }, () => world.find({ party: 2, key: "find k" })));
      for (const retry of retries) expect(retry).toEqual({ ...first, isNewLobby: false, isReplay: true });
      expect(await world.counts()).toMatchObject({ starting: 1, reserved: 2 });
    });

    test("[IK1] a retry of join and of create, while the lobby is full", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 1 });
      const joined = seated(await world.join(id, { key: "join k" }));
      expect(await world.join(id)).toEqual(refusal("LOBBY_FULL"));
      expect(seated(await world.join(id, { key: "join k" })).playerIds).toEqual(joined.playerIds);
      const made = seated(await world.create("created", { party: 1, key: "create k" }));
      const again = seated(await world.create("created", { party: 1, key: "create k" }));
      expect(again).toMatchObject({ isReplay: true, isNewLobby: false, playerIds: made.playerIds });
      expect(again.lobby.lobbyId).toBe(made.lobby.lobbyId);
      expect(await world.counts()).toMatchObject({ ready: 1, starting: 1, reserved: 2 });
    });

    test("[IK1] [I18] the same client and key in two namespaces at once are two requests, also after a restart", async () => {
      const world = await createWorld(factory);
      const neighbour = await world.neighbour();
      const first = (await Promise.all([world.find({ key: "k" }), neighbour.find({ key: "k" })])).map(seated);
      await world.restart();
      neighbour.under = world.under;
      const again = (await Promise.all([world.find({ key: "k" }), neighbour.find({ key: "k" })])).map(seated);
      expect(again).toEqual(first.map((found) => ({ ...found, isNewLobby: false, isReplay: true })));
      for (const one of [world, neighbour]) expect(await one.counts()).toMatchObject({ starting: 1, reserved: 1 });
    });

    test("[IK2] another body with the same key is refused", async () => {
      const world = await createWorld(factory);
      await world.find({ key: "find k", body: "one" });
      expect(await world.find({ key: "find k", body: "two" })).toEqual(refusal("IDEMPOTENCY_KEY_REUSED"));
      expect((await world.find({ key: "find k", body: "one" })).ok).toBe(true);
      expect(await world.counts()).toMatchObject({ reserved: 1 });
    });

    test("[IK3] the key holds while one of its seats is reserved or connected", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ party: 2, key: "k", create: { maxPlayers: 9 } }));
      const { lobbyId } = first.lobby;
      await world.setReady(lobbyId);
      await world.connect(lobbyId, first.playerIds[0]!);
      await world.pass(120_000);
      expect(seated(await world.find({ party: 2, key: "k" }))).toMatchObject({
        isReplay: true,
        playerIds: first.playerIds,
      });
      await world.disconnect(lobbyId, first.playerIds[0]!);
      const fresh = seated(await world.find({ party: 2, key: "k", body: "other" }));
      expect(fresh.isReplay).toBe(false);
      expect(fresh.playerIds).not.toContain(first.playerIds[0]);
      expect(await world.find({ party: 2, key: "k" })).toEqual(refusal("IDEMPOTENCY_KEY_REUSED"));
    });

    test("[IK3] a stopped lobby frees the key", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ key: "k" }));
      await world.stop(first.lobby.lobbyId);
      const second = seated(await world.find({ key: "k" }));
      expect(second.isReplay).toBe(false);
      expect(second.lobby.lobbyId).not.toBe(first.lobby.lobbyId);
    });

    test("[IK4] the key holds for at most 10 minutes, to the millisecond", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ key: "k", create: { maxPlayers: 9 } }));
      await world.setReady(first.lobby.lobbyId);
      await world.connect(first.lobby.lobbyId, first.playerIds[0]!);
      world.now += rememberedMs - 1;
      expect(seated(await world.find({ key: "k" })).isReplay).toBe(true);
      world.now += 1;
      expect(seated(await world.find({ key: "k" })).isReplay).toBe(false);
      expect((await world.lobby(first.lobby.lobbyId))?.reserved).toBe(1);
    });

    test("[IK5] another client's equal key is another key, and so is another operation's", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ key: "find k", create: { maxPlayers: 9 } }));
      expect(seated(await world.find({ key: "find k", client: bob, body: "other" })).isReplay).toBe(false);
      expect(seated(await world.join(first.lobby.lobbyId, { key: "join k" })).isReplay).toBe(false);
      expect(await world.counts()).toMatchObject({ reserved: 3 });
    });

    test("[IK6] a retry while the lobby starts is attached to the waiting seats, and after ready still is", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ key: "k" }));
      await world.pass(200_000);
      const waiting = seated(await world.find({ key: "k" }));
      expect(waiting).toMatchObject({ isReplay: true, playerIds: first.playerIds, lobby: { status: "starting" } });
      await world.setReady(first.lobby.lobbyId);
      expect(seated(await world.find({ key: "k" }))).toMatchObject({ isReplay: true, lobby: { status: "ready" } });
    });

    test("[IK7] [I18] a retry after a restart has no second effect", async () => {
      const world = await createWorld(factory);
      const first = seated(await world.find({ party: 2, key: "k" }));
      await world.restart();
      expect(seated(await world.find({ party: 2, key: "k" }))).toEqual({ ...first, isNewLobby: false, isReplay: true });
      expect(await world.find({ party: 2, key: "k", body: "other" })).toEqual(refusal("IDEMPOTENCY_KEY_REUSED"));
      expect(await world.counts()).toMatchObject({ starting: 1, reserved: 2 });
    });

    test("[IK8] a call that was refused leaves no key behind", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 0 });
      expect(await world.find({ key: "k", body: "one" })).toEqual(refusal("TOO_MANY_LOBBIES"));
      await world.configure({ lobbyCountMax: 1 });
      expect(seated(await world.find({ key: "k", body: "two" })).isReplay).toBe(false);
    });
  });
}
