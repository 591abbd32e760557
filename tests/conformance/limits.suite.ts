import { describe, expect, test } from "vitest";
import { alice, bob, createWorld, type EngineFactory, refusal, seated } from "../support/world.ts";

export function limitsSuite(factory: EngineFactory): void {
  describe("limits", () => {
    test("[L1] lobby_count_max counts starting and ready lobbies, closed and private ones too, stopped ones not", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 3 });
      const first = await world.ready({ party: 1 });
      await world.setClosed(first.id);
      await world.starting({ isPrivate: true });
      await world.create("registered", { isExternal: true });
      for (const outcome of [await world.find({ party: 2, pairs: [] }), await world.create("created")]) {
        expect(outcome).toEqual(refusal("TOO_MANY_LOBBIES"));
      }
      await world.stop(first.id);
      expect((await world.create("created")).ok).toBe(true);
      expect(await world.create("created")).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[L1] a find that fits needs no new lobby, so the limit does not stop it; 0 means no new lobby", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 4 });
      await world.configure({ lobbyCountMax: 0 });
      expect(seated(await world.find()).lobby.lobbyId).toBe(id);
      expect(await world.find({ tags: { other: "tag" } })).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[L2] [I15] ten times as many creates as allowed, at once: exactly the allowed ones succeed", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 7 });
      const creates = Array.from({ length: 35 }, () => world.create("created", { party: 1 }));
      const finds = Array.from({ length: 35 }, (_, i) => world.find({ tags: { unique: `${i}` } }));
      const outcomes = await Promise.all([...creates, ...finds]);
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(7);
      expect(await world.counts()).toMatchObject({ starting: 7, reserved: 7 });
    });

    test("[L3] lowering max_players removes no player and only refuses new ones until below it", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 9, party: 4 });
      await world.configure({ maxPlayers: 3 });
      expect(await world.lobby(id)).toMatchObject({ reserved: 4 });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.join(id)).toEqual(refusal("LOBBY_FULL"));
      await world.disconnect(id, players[0]!);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.disconnect(id, players[1]!);
      expect(await world.route()).toBe(id);
      await world.configure({ maxPlayers: 4_294_967_295 });
      expect(await world.route({ party: 6 })).toBe(id);
    });

    test("[L3] lowering lobby_count_max stops no lobby", async () => {
      const world = await createWorld(factory);
      for (let i = 0; i < 3; i++) await world.ready({ party: 2 });
      await world.configure({ lobbyCountMax: 1 });
      expect(await world.counts()).toMatchObject({ ready: 3, reserved: 6 });
      expect(await world.find()).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[L4] [I5] 64 finds at once from a client that may have 8 seats: exactly 8 sit", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 8 });
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => world.find({ create: { maxPlayers: 3 } })));
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(8);
      expect(outcomes[63]).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect((await world.find({ client: bob, create: { maxPlayers: 3 } })).ok).toBe(true);
    });

    test("[L4] [I5] reserved and connected seats in all lobbies count, the request's own too; ended ones do not", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 3 });
      const one = await world.ready({ maxPlayers: 9 });
      const two = await world.ready({ maxPlayers: 9 });
      const [player] = seated(await world.join(one.id)).playerIds;
      await world.connect(one.id, player!);
      await world.join(two.id);
      expect(await world.join(two.id, { party: 2 })).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect((await world.join(two.id)).ok).toBe(true);
      expect(await world.create("created", { party: 1, client: alice })).toEqual(
        refusal("TOO_MANY_PLAYERS_FROM_SOURCE"),
      );
      await world.disconnect(one.id, player!);
      expect((await world.find({ create: null })).ok).toBe(true);
      await world.stop(two.id);
      expect((await world.find({ party: 3, create: { maxPlayers: 3 } })).ok).toBe(true);
      expect(await world.find()).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
    });

    test("[L4] an expired seat counts no longer, without any sweep; no limit is no limit", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 1 });
      const { id } = await world.ready({ maxPlayers: 9, reservationMs: 1000 });
      await world.join(id);
      world.now += 999;
      expect(await world.join(id)).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      world.now += 1;
      expect((await world.join(id)).ok).toBe(true);
      await world.configure({ maxPlayersPerClient: null });
      expect((await world.join(id, { party: 8 })).ok).toBe(true);
    });
  });
}
