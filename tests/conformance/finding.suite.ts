import { describe, expect, test } from "vitest";
import { alice, createWorld, duel, type EngineFactory, refusal, seated, versionB } from "../support/world.ts";

export function findingSuite(factory: EngineFactory): void {
  describe("finding", () => {
    test("[F1] pairs are tried in the order given, and the first with a fit wins however full the others are", async () => {
      const world = await createWorld(factory);
      const far = await world.ready({ region: "far", maxPlayers: 4, party: 2 });
      const royale = await world.ready({ gameMode: "royale", maxPlayers: 4, party: 3 });
      const local = { gameMode: "duel", region: "local" };
      const pairs = [local, { gameMode: "duel", region: "far" }, { gameMode: "royale", region: "local" }];
      expect(await world.route({ pairs })).toBe(far.id);
      expect(await world.route({ pairs: pairs.toReversed() })).toBe(royale.id);
      const near = await world.starting({ maxPlayers: 4 });
      expect(await world.route({ pairs })).toBe(near.id);
      expect(await world.route({ pairs: [{ gameMode: "royale", region: "far" }] })).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[F2] a ready lobby comes before a starting one, even if it is emptier and younger", async () => {
      const world = await createWorld(factory);
      const starting = await world.starting({ maxPlayers: 8, party: 5 });
      world.now += 1;
      const ready = await world.ready({ maxPlayers: 8, party: 1 });
      expect(await world.route()).toBe(ready.id);
      expect(await world.route({ party: 6 })).toBe(ready.id);
      expect(await world.route()).toBe(starting.id);
    });

    test("[F3] the most seats taken wins; equally full lobbies: the older wins, then the smaller id", async () => {
      const world = await createWorld(factory);
      const ids = [world.id(), world.id()];
      const larger = await world.ready({ lobbyId: ids[1]!, maxPlayers: 4, party: 1 });
      const smaller = await world.ready({ lobbyId: ids[0]!, maxPlayers: 4, party: 1 });
      world.now += 1;
      const younger = await world.ready({ maxPlayers: 4, party: 1 });
      const fullest = await world.ready({ maxPlayers: 4, party: 2 });
      const wanted = [fullest, fullest, smaller, smaller, smaller, larger, larger, larger, younger, younger, younger];
      for (const { id } of wanted) expect(await world.route()).toBe(id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[F3] lobbies of different sizes are one order by seats taken", async () => {
      const world = await createWorld(factory);
      const large = await world.ready({ maxPlayers: 100, party: 3 });
      const middle = await world.ready({ maxPlayers: 10, party: 4 });
      const small = await world.ready({ maxPlayers: 2, party: 1 });
      expect(await world.route({ party: 6 })).toBe(middle.id);
      expect(await world.route()).toBe(large.id);
      expect(await world.route({ party: 90 })).toBe(large.id);
      expect(await world.route({ party: 7 })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ party: 6 })).toBe(large.id);
      expect(await world.route()).toBe(small.id);
    });

    test("[F4] closed, private, stopped, silent and outdated lobbies are never found", async () => {
      const world = await createWorld(factory);
      const closed = await world.ready({ party: 1 });
      await world.setClosed(closed.id);
      await world.ready({ isPrivate: true, party: 1 });
      const stopped = await world.ready({ party: 1 });
      await world.stop(stopped.id);
      const silent = await world.ready({ heartbeatMs: 1000, party: 1 });
      await world.ready({ isExternal: true, versionId: versionB });
      await world.pass(1000);
      expect((await world.lobby(silent.id))?.isSilent).toBe(true);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      const open = await world.ready({ party: 1 });
      expect(await world.route()).toBe(open.id);
    });

    test("[F5] a lobby fits that has at least the requested tags; a find without tags fits any", async () => {
      const world = await createWorld(factory);
      const plain = await world.ready({ maxPlayers: 9, party: 1 });
      const one = await world.ready({ maxPlayers: 9, party: 2, tags: { map: "ice" } });
      const both = await world.ready({ maxPlayers: 9, party: 3, tags: { map: "ice", rank: "gold" } });
      const third = await world.ready({ maxPlayers: 9, party: 4, tags: { map: "ice", rank: "tin", mode: "x" } });
      expect(await world.route({ tags: { map: "ice" } })).toBe(third.id);
      expect(await world.route({ tags: { rank: "gold" } })).toBe(both.id);
      expect(await world.route({ tags: { rank: "gold", map: "ice" } })).toBe(both.id);
      expect(await world.route({ tags: { map: "fire" } })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ tags: { map: "ice", rank: "silver" } })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ tags: { map: "ice", rank: "gold", mode: "x" } })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ tags: { mapice: "" } })).toBe("NO_AVAILABLE_LOBBIES");
      await world.setClosed(third.id);
      await world.setClosed(both.id);
      expect(await world.route({ tags: { map: "ice" } })).toBe(one.id);
      await world.setClosed(one.id);
      expect(await world.route()).toBe(plain.id);
    });

    test("[F5] several tags: the fullest lobby that has them all is found behind fuller ones that have only some", async () => {
      const world = await createWorld(factory);
      for (let party = 5; party < 9; party++) await world.ready({ maxPlayers: 20, party, tags: { a: "1" } });
      for (let party = 5; party < 9; party++) await world.ready({ maxPlayers: 20, party, tags: { b: "1" } });
      await world.ready({ maxPlayers: 20, party: 1, tags: { a: "1", b: "1" } });
      const fuller = await world.ready({ maxPlayers: 20, party: 2, tags: { a: "1", b: "1" } });
      await world.ready({ maxPlayers: 4, party: 3, tags: { a: "1", b: "1" } });
      expect(await world.route({ party: 2, tags: { a: "1", b: "1" } })).toBe(fuller.id);
    });

    test("[F6] [I1] a lobby is filled to its maximum and not beyond, for a party at the edge too", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 4, maxPlayersDirect: 8, party: 1 });
      expect(await world.route({ party: 4 })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.route({ party: 3 })).toBe(lobby.id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[F6] [I1] seats beyond the maximum, taken by direct joins, keep find out until they are free", async () => {
      const world = await createWorld(factory);
      const lobby = await world.ready({ maxPlayers: 2, maxPlayersDirect: 4 });
      const { playerIds } = seated(await world.join(lobby.id, { party: 4 }));
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.disconnect(lobby.id, playerIds[0]!);
      await world.disconnect(lobby.id, playerIds[1]!);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.disconnect(lobby.id, playerIds[2]!);
      expect(await world.route()).toBe(lobby.id);
    });

    test("[F7] [I4] a party sits together or not at all", async () => {
      const world = await createWorld(factory);
      const three = await world.ready({ maxPlayers: 4, party: 3 });
      const two = await world.ready({ maxPlayers: 4, party: 2 });
      const found = seated(await world.find({ party: 2, create: null }));
      expect(found.lobby.lobbyId).toBe(two.id);
      expect(found.playerIds).toHaveLength(2);
      expect((await world.lobby(three.id))?.reserved).toBe(3);
      expect(await world.find({ party: 2, create: null })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await world.counts()).toMatchObject({ reserved: 7, connected: 0 });
    });

    test("[F11] lobbies with all of several tags are found wherever they are among hundreds that have some", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 1000 });
      world.isAudited = false;
      const places = [0, 99, 100, 130, 199, 250, 329];
      const both: string[] = [];
      for (let i = 0; i < 330; i++) {
        const hasBoth = places.includes(i);
        const { id } = await world.ready({ isExternal: true, tags: { map: "ice", ...(hasBoth && { rank: "gold" }) } });
        if (hasBoth) both.push(id);
        // So that fewer have the map than the rank, and those with the map are gone through.
        await world.ready({ isExternal: true, tags: { rank: "gold" } });
      }
      // The oldest first. Each is closed when it was found, so that the next one is further behind those that do not fit.
      const found: string[] = [];
      for (const _ of places) {
        found.push(await world.route({ tags: { map: "ice", rank: "gold" } }));
        await world.setClosed(found.at(-1)!);
      }
      expect(found).toEqual(both);
    });

    test("[F8] without a fit exactly one lobby is made, with the requested tags, and the party sits in it", async () => {
      const world = await createWorld(factory);
      const found = seated(await world.find({ party: 2, tags: { map: "ice" }, create: { maxPlayers: 3 } }));
      expect(found).toMatchObject({ isNewLobby: true, isReplay: false });
      expect(found.lobby).toMatchObject({ ...duel, status: "starting", reserved: 2, tags: { map: "ice" } });
      expect(found.lobby).toMatchObject({
        createReason: "found",
        createdBy: alice,
        createdAt: world.now,
        readyAt: null,
      });
      const next = seated(await world.find({ tags: { map: "ice" } }));
      expect(next).toMatchObject({ isNewLobby: false, lobby: { lobbyId: found.lobby.lobbyId, reserved: 3 } });
    });

    test.each([
      [1, 4],
      [7, 4],
      [8, 4],
      [9, 4],
      [64, 1],
    ])("[F8] [I14] %i concurrent finds for lobbies of %i create no duplicate", async (finders, maxPlayers) => {
      const world = await createWorld(factory);
      const outcomes = await Promise.all(Array.from({ length: finders }, () => world.find({ create: { maxPlayers } })));
      expect(outcomes.filter((outcome) => outcome.ok && outcome.isNewLobby)).toHaveLength(
        Math.ceil(finders / maxPlayers),
      );
      expect(await world.counts()).toMatchObject({ starting: Math.ceil(finders / maxPlayers), reserved: finders });
    });

    test("[F9] when no lobby may be made the refusal is the caller's, and nothing changes", async () => {
      const world = await createWorld(factory);
      expect(await world.find({ create: null })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await world.find({ create: null, createRefusal: "API_RATE_LIMIT" })).toEqual(refusal("API_RATE_LIMIT"));
      expect(await world.counts()).toMatchObject({ starting: 0, ready: 0, reserved: 0 });
    });

    test("[F10] a party larger than the limit, or a limit of 0, finds nothing and creates nothing", async () => {
      const world = await createWorld(factory);
      expect(await world.find({ party: 3, create: { maxPlayers: 2, maxPlayersDirect: 9 } })).toEqual(
        refusal("NO_AVAILABLE_LOBBIES"),
      );
      await world.configure({ maxPlayers: 4 });
      expect(await world.find({ party: 5, create: { maxPlayers: 9 } })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      await world.configure({ maxPlayers: 0 });
      await world.ready({ maxPlayers: 9 });
      expect(await world.find({ create: { maxPlayers: 9 } })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await world.counts()).toMatchObject({ starting: 0, ready: 1, reserved: 0 });
    });

    test("[F11] the only fit is found however many lobbies there are", async () => {
      const world = await createWorld(factory);
      world.isAudited = false;
      for (let i = 0; i < 300; i++) await world.starting({ maxPlayers: 2 + (i % 3), party: 2 + (i % 3) });
      const fit = await world.starting({ maxPlayers: 2, party: 1 });
      for (let i = 0; i < 300; i++) await world.starting({ maxPlayers: 2 + (i % 3), party: 2 + (i % 3) });
      world.isAudited = true;
      expect(await world.route()).toBe(fit.id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[F12] of several reasons to refuse, the first of the order is given", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 0, maxPlayers: 1, maxPlayersPerClient: 1 });
      expect(await world.find({ party: 2, revision: 0 })).toEqual(refusal("STALE_REVISION"));
      expect(await world.find({ party: 2 })).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      await world.configure({ maxPlayersPerClient: null });
      expect(await world.find({ party: 2 })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await world.find({ party: 1 })).toEqual(refusal("TOO_MANY_LOBBIES"));
      await world.configure({ versionId: null });
      expect(await world.find({ party: 2 })).toEqual(refusal("NO_VERSION_DEPLOYED"));
    });

    test("[F13] a preview says what a find would do, and does nothing", async () => {
      const world = await createWorld(factory);
      const preview = async (options: Parameters<typeof world.findCommand>[0]) =>
        world.read<"previewFind">({ ...world.findCommand(options), type: "previewFind" });
      expect(await preview({})).toEqual({ ok: true, lobby: null, wouldCreate: true });
      expect(await preview({ create: null })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await preview({ party: 3 })).toEqual(refusal("NO_AVAILABLE_LOBBIES"));
      expect(await preview({ revision: 0 })).toEqual(refusal("STALE_REVISION"));
      const lobby = await world.ready();
      expect(await preview({})).toMatchObject({
        ok: true,
        lobby: { lobbyId: lobby.id, reserved: 0 },
        wouldCreate: false,
      });
      expect(await world.counts()).toMatchObject({ starting: 0, ready: 1, reserved: 0 });
    });
  });
}
