import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, listen, refusal, rememberedMs, seated } from "../support/world.ts";

export function seatsAndExpirySuite(factory: EngineFactory): void {
  describe("seats and expiry", () => {
    test.each([
      [-1, { ok: true, isReturn: false }],
      [0, refusal("PLAYER_RESERVATION_EXPIRED")],
      [1, refusal("PLAYER_RESERVATION_EXPIRED")],
    ])("[S1] [I16] connecting %i ms from the deadline", async (offset, expected) => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ reservationMs: 1000 });
      const [player] = seated(await world.join(id)).playerIds;
      world.now += 1000 + offset;
      expect(await world.connect(id, player!)).toEqual(expected);
    });

    test("[S1] the deadline counts from the later of the reservation and ready", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 1, reservationMs: 1000 });
      await world.pass(300);
      await world.setReady(id);
      await world.pass(300);
      const [later] = seated(await world.join(id)).playerIds;
      const seats = await world.read<"players">({ type: "players", lobbyId: id });
      expect(seats.map((seat) => [seat.playerId, seat.expiresAt])).toEqual([
        [players[0], world.now + 700],
        [later, world.now + 1000],
      ]);
    });

    test("[S2] [I2] a seat expires once, as of its deadline, whichever call notices first", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 1, reservationMs: 1000 });
      const deadline = world.now + 1000;
      const received = listen(world);
      world.now += 5000;
      await Promise.all([world.pass(0), world.find(), world.connect(id, players[0]!), world.pass(0)]);
      await world.setClosed(id);
      const events = await received(3);
      expect(events.map((event) => event.type)).toEqual(["player.expired", "player.reserved", "lobby.closed"]);
      expect(events[0]).toMatchObject({ at: deadline, playerId: players[0], status: "expired" });
    });

    test("[S3] [I6] an expired seat is there for the next find, without any sweep", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 1, party: 1, reservationMs: 1000 });
      world.now += 999;
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      world.now += 1;
      expect(await world.route()).toBe(id);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[S3] [I6] a seat freed by leaving is there for the next find", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 1, party: 1 });
      await world.connect(id, players[0]!);
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.disconnect(id, players[0]!);
      expect(await world.route()).toBe(id);
    });

    test("[S4] what happens by itself does not depend on how often someone looks", async () => {
      const views = [];
      for (const steps of [1, 7, 1000]) {
        const world = await createWorld(factory);
        const options = { party: 1, reservationMs: 1000, emptyMs: 500, heartbeatMs: 300, maxPlayers: 4 };
        const lobbies = [await world.ready(options), await world.ready({ ...options, isExternal: true })];
        lobbies.push(await world.starting({ ...options, readyMs: 1500 }));
        for (let step = 0; step < steps; step++) await world.pass(7000 / steps);
        views.push(await Promise.all(lobbies.map(({ id }) => world.lobby(id))));
      }
      expect(views[0]?.map((lobby) => lobby?.stopReason)).toEqual(["empty", "silent", "not_ready"]);
      expect(views[1]).toEqual(views[0]);
      expect(views[2]).toEqual(views[0]);
    });

    test("[S5] time never runs backwards: an earlier time counts as the latest there was", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ reservationMs: 1000 });
      world.now += 10_000;
      await world.pass(0);
      const latest = world.now;
      world.now -= 9500;
      const [player] = seated(await world.join(id)).playerIds;
      const [seat] = await world.read<"players">({ type: "players", lobbyId: id });
      expect(seat).toMatchObject({ playerId: player, reservedAt: latest, expiresAt: latest + 1000 });
    });

    test("[S6] a call that gives up releases its reserved seats only, once", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 3 });
      await world.connect(id, players[0]!);
      expect(await world.release([...players, world.id()])).toEqual({ ok: true, released: 2 });
      expect(await world.release(players)).toEqual({ ok: true, released: 0 });
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
      expect(await world.connect(id, players[1]!)).toEqual(refusal("PLAYER_REMOVED"));
    });

    test("[S7] ended seats are remembered for 10 minutes, to the millisecond", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 2, reservationMs: 1000 });
      await world.connect(id, players[0]!);
      world.now += 1000 + rememberedMs - 1;
      expect(await world.connect(id, players[1]!)).toEqual(refusal("PLAYER_RESERVATION_EXPIRED"));
      world.now += 1;
      expect(await world.connect(id, players[1]!)).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.connect(id, players[0]!)).toEqual(refusal("PLAYER_ALREADY_CONNECTED"));
    });
  });
}
