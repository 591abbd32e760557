import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, refusal, rememberedMs } from "../support/world.ts";

export function playersSuite(factory: EngineFactory): void {
  describe("players", () => {
    test("[P1] [I16] of many connects with one player exactly one wins, and it stops the clock", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1, reservationMs: 1000 });
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => world.connect(id, players[0]!)));
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
      expect(outcomes[7]).toEqual(refusal("PLAYER_ALREADY_CONNECTED"));
      await world.pass(1_000_000);
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
    });

    test("[P2] connecting late, after leaving, and after being released", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 4, reservationMs: 1000 });
      const [late, left, released, cancelled] = players as [string, string, string, string];
      await world.connect(id, left);
      await world.disconnect(id, left);
      await world.release([released]);
      await world.disconnect(id, cancelled);
      await world.pass(1000);
      expect(await world.connect(id, late)).toEqual(refusal("PLAYER_RESERVATION_EXPIRED"));
      expect(await world.connect(id, left)).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.connect(id, released)).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.connect(id, cancelled)).toEqual(refusal("PLAYER_REMOVED"));
    });

    test("[P3] [I17] from another lobby of the namespace nothing changes anywhere", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2 });
      const other = await world.ready({ party: 1 });
      await world.connect(id, players[0]!);
      const before = [await world.lobby(id), await world.lobby(other.id), await world.counts()];
      for (const player of players) {
        expect(await world.connect(other.id, player)).toEqual(refusal("PLAYER_IN_DIFFERENT_LOBBY"));
        expect(await world.disconnect(other.id, player)).toEqual(refusal("PLAYER_IN_DIFFERENT_LOBBY"));
      }
      expect([await world.lobby(id), await world.lobby(other.id), await world.counts()]).toEqual(before);
      expect(await world.connect(id, players[1]!)).toEqual({ ok: true, isReturn: false });
      await world.stop(id);
      expect(await world.connect(other.id, players[0]!)).toEqual(refusal("PLAYER_IN_DIFFERENT_LOBBY"));
    });

    test("[P4] a player that is no longer remembered was removed: the caller has checked the token", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 2 });
      expect(await world.connect(id, world.id())).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.disconnect(id, world.id())).toEqual(refusal("PLAYER_REMOVED"));
      await world.connect(id, players[1]!);
      await world.disconnect(id, players[0]!);
      world.now += rememberedMs;
      expect(await world.disconnect(id, players[0]!)).toEqual(refusal("PLAYER_REMOVED"));
    });

    test("[P5] disconnecting frees the seat once, and again changes nothing", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 3, reservationMs: 1000 });
      await world.connect(id, players[0]!);
      await world.connect(id, players[1]!);
      expect(await world.disconnect(id, players[0]!)).toEqual({ ok: true, isChanged: true });
      expect(await world.disconnect(id, players[0]!)).toEqual({ ok: true, isChanged: false });
      await world.pass(1000);
      expect(await world.disconnect(id, players[2]!)).toEqual({ ok: true, isChanged: false });
      expect(await world.connect(id, players[2]!)).toEqual(refusal("PLAYER_RESERVATION_EXPIRED"));
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
    });

    test("[P5] disconnecting cancels a reservation that never connected", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2 });
      expect(await world.disconnect(id, players[0]!)).toEqual({ ok: true, isChanged: true });
      expect(await world.lobby(id)).toMatchObject({ reserved: 1, connected: 0 });
    });

    test("[P6] a player may connect before the lobby says ready, and then no clock touches the seat", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 1, reservationMs: 1000 });
      expect(await world.connect(id, players[0]!)).toEqual({ ok: true, isReturn: false });
      await world.setReady(id);
      await world.pass(100_000);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", connected: 1 });
    });
  });
}
