import { describe, expect, test } from "vitest";
import { alice, bob, createWorld, type EngineFactory, listen, refusal, seated } from "../support/world.ts";

/** The empty client stands for a server token. */
const server = "";

export function keysSuite(factory: EngineFactory): void {
  describe("player keys", () => {
    test("[KY8] a vouched key has one taken seat in the namespace, over find, join and create", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, party: 0, isExternal: true });
      const other = await world.ready({ maxPlayers: 9, isExternal: true });
      expect(await world.route({ client: server, keys: ["steam:1"] })).toBe(id);
      const taken = { ...refusal("PLAYER_ALREADY_SEATED"), seated: [{ index: 0, lobbyId: id }] };
      const before = await world.counts();
      expect(await world.find({ client: server, keys: ["steam:1"] })).toEqual(taken);
      expect(await world.join(other.id, { client: server, keys: ["steam:1"] })).toEqual(taken);
      expect(await world.join(id, { client: server, keys: ["steam:1"] })).toEqual(taken);
      expect(await world.create("created", { client: server, keys: ["steam:1"] })).toEqual(taken);
      const query = { ...world.findCommand({ client: server, keys: ["steam:1"] }), type: "previewFind" } as const;
      expect(await world.read<"previewFind">(query)).toEqual(taken);
      expect(await world.counts()).toEqual(before);
      expect(await world.route({ client: server, keys: ["steam:10"] })).toBe(id);
      expect(await world.route({ client: server, keys: ["steam:"] })).toBe(id);
    });

    test("[KY8] a party in which one player has a seat takes none, and the refusal names who sits where", async () => {
      const world = await createWorld(factory);
      const one = await world.ready({ maxPlayers: 9, isExternal: true });
      const two = await world.ready({ maxPlayers: 9, isExternal: true });
      await world.join(one.id, { client: server, keys: ["a"] });
      await world.join(two.id, { client: server, keys: ["b", ""] });
      const outcome = await world.find({ client: server, keys: ["c", "b", "", "a"] });
      expect(outcome).toEqual({
        ...refusal("PLAYER_ALREADY_SEATED"),
        seated: [
          { index: 1, lobbyId: two.id },
          { index: 3, lobbyId: one.id },
        ],
      });
      expect(await world.counts()).toMatchObject({ reserved: 3 });
      expect(await world.route({ client: server, keys: ["c"] })).toBe(two.id);
    });

    test("[KY8] a key is free again when its seat has ended, however it ended", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, reservationMs: 1000, isExternal: true });
      const take = async () => seated(await world.join(id, { client: server, keys: ["a"] })).playerIds[0]!;
      await world.disconnect(id, await take());
      await world.release([await take()]);
      await take();
      await world.pass(1000);
      const missing = await take();
      await world.connect(id, missing);
      expect(await world.join(id, { client: server, keys: ["a"] })).toMatchObject({ code: "PLAYER_ALREADY_SEATED" });
      await world.heartbeat(id, []);
      await world.heartbeat(id, []);
      await take();
      await world.stop(id);
      const next = await world.ready({ isExternal: true });
      expect(await world.route({ client: server, keys: ["a"] })).toBe(next.id);
    });

    test("[KY8] [KY10] a held seat keeps its key, and the lobby sees whose it is", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, reconnectMs: 5000, isExternal: true });
      const [playerId] = seated(await world.join(id, { client: server, keys: ["a"] })).playerIds as [string];
      await world.connect(id, playerId);
      await world.heartbeat(id, []);
      expect(await world.heartbeat(id, [])).toMatchObject({
        players: [{ playerId, isHeld: true, key: "a", isKeyVouched: true }],
      });
      expect(await world.find({ client: server, keys: ["a"] })).toMatchObject({ code: "PLAYER_ALREADY_SEATED" });
      expect(await world.lobbiesWith("a")).toEqual([id]);
      expect(await world.connect(id, playerId)).toEqual({ ok: true, isReturn: true, key: "a", isKeyVouched: true });
      await world.heartbeat(id, []);
      await world.heartbeat(id, []);
      await world.pass(5000);
      expect(await world.join(id, { client: server, keys: ["a"] })).toMatchObject({ ok: true });
    });

    test("[KY8] keys are still taken after a restart", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true });
      const [playerId] = seated(await world.join(id, { client: server, keys: ["a"] })).playerIds as [string];
      await world.restart();
      const taken = { ...refusal("PLAYER_ALREADY_SEATED"), seated: [{ index: 0, lobbyId: id }] };
      expect(await world.find({ client: server, keys: ["a"] })).toEqual(taken);
      expect(await world.connect(id, playerId)).toEqual({ ok: true, isReturn: false, key: "a", isKeyVouched: true });
    });

    test("[KY8] of many calls at the same time with one vouched key, one takes a seat", async () => {
      const world = await createWorld(factory);
      await world.ready({ maxPlayers: 100, isExternal: true });
      world.isAudited = false;
      const calls = Array.from({ length: 64 }, () => world.find({ client: server, keys: ["steam:1"] }));
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      world.isAudited = true;
      expect(await world.counts()).toMatchObject({ reserved: 1 });
    });

    test("[KY6] a command with one key twice, or with too few keys, is rejected before anything is written", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true });
      await expect(world.join(id, { client: server, keys: ["a", "a"] })).rejects.toThrow("different key");
      await expect(world.find({ client: server, keys: ["a"], party: 2 })).rejects.toThrow("different key");
      expect(await world.counts()).toMatchObject({ reserved: 0 });
    });

    test("[KY7] a join with a key of a player's own needs a lobby that takes open keys", async () => {
      const world = await createWorld(factory);
      const vouched = await world.ready({ maxPlayers: 9, isExternal: true });
      const open = await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true });
      expect(await world.join(vouched.id, { keys: ["a"] })).toEqual(refusal("KEY_NOT_VOUCHED"));
      expect(await world.join(vouched.id)).toMatchObject({ ok: true });
      expect(await world.join(open.id, { keys: ["a"] })).toMatchObject({ ok: true });
      expect(await world.join(vouched.id, { client: server, keys: ["a"] })).toMatchObject({ ok: true });
      expect(await world.join(open.id, { client: server, keys: ["b"] })).toMatchObject({ ok: true });
    });

    test("[KY9] an open key is unique within its client and in the way of no other client", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true });
      const taken = { ...refusal("PLAYER_ALREADY_SEATED"), seated: [{ index: 0, lobbyId: id }] };
      for (const client of [alice, bob, server]) {
        expect(await world.route({ client, keys: ["a"] })).toBe(id);
        expect(await world.find({ client, keys: ["a"] })).toEqual(taken);
      }
    });

    test("[KY10] the lobby sees keys when a player connects and in heartbeats, and whether they are vouched", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true });
      const [vouched, bare] = seated(await world.join(id, { client: server, keys: ["a", ""] })).playerIds;
      const [open] = seated(await world.join(id, { keys: ["!~"] })).playerIds;
      expect(await world.connect(id, vouched!)).toEqual({ ok: true, isReturn: false, key: "a", isKeyVouched: true });
      expect(await world.connect(id, bare!)).toEqual({ ok: true, isReturn: false });
      expect(await world.connect(id, open!)).toEqual({ ok: true, isReturn: false, key: "!~", isKeyVouched: false });
      expect(await world.heartbeat(id)).toMatchObject({
        players: [
          { playerId: vouched, isHeld: false, key: "a", isKeyVouched: true },
          { playerId: bare, isHeld: false },
          { playerId: open, isHeld: false, key: "!~", isKeyVouched: false },
        ],
      });
    });

    test("[KY10] events and the players of a lobby have the keys", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true });
      const received = listen(world);
      const [vouched] = seated(await world.join(id, { client: server, keys: ["a"] })).playerIds;
      const [open] = seated(await world.join(id, { keys: ["b"] })).playerIds;
      await world.join(id);
      const range = { family: 4, high: 0, from: 0xc0000201, to: 0xc0000201 } as const;
      await world.execute<"endSeats">({ type: "endSeats", range, after: null });
      const events = await received(5);
      expect(events.slice(0, 4)).toMatchObject([
        { type: "player.reserved", playerId: vouched, key: "a", isKeyVouched: true },
        { type: "player.reserved", playerId: open, key: "b", isKeyVouched: false },
        { type: "player.reserved" },
        { type: "player.left", playerId: open, key: "b", isKeyVouched: false, reason: "blocked" },
      ]);
      expect(events[2]).not.toHaveProperty("key");
      const [player] = await world.read<"players">({ type: "players", lobbyId: id });
      expect(player).toMatchObject({ playerId: vouched, playerKey: "a", clientId: server });
    });

    test("[KY11] lobbies are listed by a key that has a taken seat in them, each once, in pages", async () => {
      const world = await createWorld(factory);
      const lobbies: string[] = [];
      for (let count = 0; count < 4; count++) {
        lobbies.push((await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true })).id);
      }
      const [first, second, third] = lobbies as [string, string, string];
      await world.join(third, { client: alice, keys: ["a"] });
      await world.join(first, { client: bob, keys: ["a"] });
      await world.join(first, { client: server, keys: ["a"] });
      await world.join(second, { client: "192.0.2.9", keys: ["a"] });
      await world.join(second, { client: "192.0.2.9", keys: ["a!", "A"] });
      for (const limit of [1, 2, 3, 100]) expect(await world.lobbiesWith("a", limit)).toEqual([first, second, third]);
      expect(await world.lobbiesWith("a!")).toEqual([second]);
      expect(await world.lobbiesWith("b")).toEqual([]);
      await world.stop(second);
      expect(await world.lobbiesWith("a")).toEqual([first, third]);
    });

    test("[KY12] who has a seat already is refused before a client with too many, and a full lobby", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 1 });
      const { id } = await world.ready({ maxPlayers: 1, isExternal: true, takesOpenKeys: true });
      await world.join(id, { keys: ["a"] });
      expect(await world.join(id, { keys: ["a"] })).toMatchObject({ code: "PLAYER_ALREADY_SEATED" });
      expect(await world.find({ keys: ["a"] })).toMatchObject({ code: "PLAYER_ALREADY_SEATED" });
      expect(await world.create("created", { client: alice, keys: ["a"] })).toMatchObject({
        code: "PLAYER_ALREADY_SEATED",
      });
      expect(await world.join(id, { keys: ["b"] })).toMatchObject({ code: "TOO_MANY_PLAYERS_FROM_SOURCE" });
      expect(await world.join(id, { client: server, keys: ["a"] })).toEqual(refusal("LOBBY_FULL"));
      const shut = await world.ready({ isExternal: true, isJoinable: false });
      expect(await world.join(shut.id, { keys: ["a"] })).toEqual(refusal("JOIN_DISABLED"));
    });

    test("[KY1] [KY2] a call without a client has no limit of a client, and joins what players may not", async () => {
      const world = await createWorld(factory, { maxPlayersPerClient: 1 });
      const { id } = await world.ready({ maxPlayers: 4, isExternal: true, isJoinable: false });
      expect(await world.join(id)).toEqual(refusal("JOIN_DISABLED"));
      expect(await world.join(id, { client: server, party: 2 })).toMatchObject({ ok: true });
      expect(await world.route({ client: server, party: 2 })).toBe(id);
      expect(await world.join(id, { client: server })).toEqual(refusal("LOBBY_FULL"));
      const made = seated(await world.find({ client: server, party: 2 }));
      expect(made.lobby).toMatchObject({ createReason: "found", createdBy: null });
    });

    test("[KY13] the seat of a vouched key is found by it while it is taken, whatever label others have", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true, takesOpenKeys: true });
      expect(await world.seatByKey("a")).toBeNull();
      const { playerIds } = seated(await world.join(id, { client: server, keys: ["b", "a"] }));
      seated(await world.join(id, { keys: ["a"] }));
      expect(await world.seatByKey("a")).toMatchObject({ player: { playerId: playerIds[1] }, lobby: { lobbyId: id } });
      await world.restart();
      expect(await world.seatByKey("b")).toMatchObject({ player: { playerId: playerIds[0], status: "reserved" } });
      await world.disconnect(id, playerIds[1]!);
      expect(await world.seatByKey("a")).toBeNull();
    });

    test("[KY4] a retry of a call with keys gets its seats again, also while they are taken", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9, isExternal: true });
      const first = seated(await world.join(id, { client: server, keys: ["a"], key: "token once" }));
      const again = seated(await world.join(id, { client: server, keys: ["a"], key: "token once" }));
      expect(again).toMatchObject({ isReplay: true, playerIds: first.playerIds });
      const other = await world.join(id, { client: server, keys: ["a"], key: "other once" });
      expect(other).toMatchObject({ code: "PLAYER_ALREADY_SEATED" });
    });
  });
}
