import { describe, expect, test } from "vitest";
import {
  createWorld,
  type EngineFactory,
  listen,
  refusal,
  rememberedMs,
  versionA,
  type World,
} from "../support/world.ts";

/** Every call that a lobby makes with its own token. */
async function ownCalls(world: World, lobbyId: string, playerId: string) {
  return [
    await world.setReady(lobbyId),
    await world.setClosed(lobbyId),
    await world.setClosed(lobbyId, false),
    await world.execute<"setState">({ type: "setState", lobbyId, state: "1" }),
    await world.execute<"setPorts">({ type: "setPorts", lobbyId, ports: "{}" }),
    await world.heartbeat(lobbyId, [playerId], true),
    await world.connect(lobbyId, playerId),
    await world.disconnect(lobbyId, playerId),
    await world.stop(lobbyId),
  ];
}

export function stoppingSuite(factory: EngineFactory): void {
  describe("stopping", () => {
    test("[ST1] [I2] [I13] a lobby ends once, and its seats end with it, once", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 2 });
      await world.connect(id, players[0]!);
      const received = listen(world);
      const outcomes = await Promise.all([world.stop(id), world.stop(id), world.stop(id)]);
      expect(outcomes).toEqual([{ ok: true }, refusal("LOBBY_STOPPED"), refusal("LOBBY_STOPPED")]);
      const other = await world.starting();
      const events = await received(4);
      expect(events.map((event) => event.type)).toEqual([
        "player.left",
        "player.left",
        "lobby.stopped",
        "lobby.created",
      ]);
      expect(events[0]).toMatchObject({ playerId: players[0], status: "ended" });
      expect(events[2]).toMatchObject({ lobby: { lobbyId: id, stopReason: "self", reserved: 0, connected: 0 } });
      expect(events[3]).toMatchObject({ lobby: { lobbyId: other.id } });
      expect(await world.counts()).toMatchObject({ ready: 0, starting: 1, reserved: 0, connected: 0 });
    });

    test("[ST2] [I13] a stopped lobby's own calls get LOBBY_STOPPED for 10 minutes, then LOBBY_NOT_FOUND", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1 });
      await world.stop(id);
      world.now += rememberedMs - 1;
      for (const outcome of await ownCalls(world, id, players[0]!)) expect(outcome).toEqual(refusal("LOBBY_STOPPED"));
      expect(await world.statusOf(id)).toBe("stopped: self");
      world.now += 1;
      for (const outcome of await ownCalls(world, id, players[0]!)) expect(outcome).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect(await world.statusOf(id)).toBe("forgotten");
      expect((await world.counts()).nextDueAt).toBeNull();
    });

    test("[ST3] a lobby without a taken seat stops after its time, counted from ready", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ emptyMs: 1000 });
      await world.pass(5000);
      await world.setReady(id);
      await world.pass(999);
      expect(await world.statusOf(id)).toBe("ready");
      await world.pass(1);
      expect(await world.statusOf(id)).toBe("stopped: empty");
    });

    test("[ST3] the time counts from the last seat that ended, by leaving or expiry, and a new seat stops it", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2, emptyMs: 1000, reservationMs: 5000 });
      await world.connect(id, players[0]!);
      await world.pass(2000);
      await world.disconnect(id, players[0]!);
      await world.pass(2999);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", reserved: 1 });
      await world.pass(1000);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", reserved: 0, emptySince: world.now - 999 });
      const again = await world.find();
      expect(again).toMatchObject({ ok: true, lobby: { lobbyId: id, emptySince: null } });
      await world.pass(4999);
      expect(await world.statusOf(id)).toBe("ready");
      await world.pass(1001);
      expect(await world.statusOf(id)).toBe("stopped: empty");
    });

    test("[ST3] [DU2] the time continues through a restart, and so do those of seats and of what is remembered", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2, emptyMs: 1000, reservationMs: 5000 });
      await world.connect(id, players[0]!);
      await world.pass(2000);
      await world.restart();
      await world.disconnect(id, players[0]!);
      world.now += 2999;
      expect(await world.connect(id, players[0]!)).toEqual(refusal("PLAYER_REMOVED"));
      expect((await world.lobby(id))?.reserved).toBe(1);
      world.now += 501;
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, emptySince: world.now - 500 });
      await world.restart();
      world.now += 499;
      expect(await world.lobby(id)).toMatchObject({ status: "ready", emptySince: world.now - 999 });
      world.now += 1;
      expect(await world.statusOf(id)).toBe("stopped: empty");
      await world.restart();
      world.now += rememberedMs - 1;
      expect(await world.setReady(id)).toEqual(refusal("LOBBY_STOPPED"));
      world.now += 1;
      expect(await world.setReady(id)).toEqual(refusal("LOBBY_NOT_FOUND"));
    });

    test("[ST4] an external lobby is never stopped for being empty", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ isExternal: true, emptyMs: 1000 });
      await world.pass(1_000_000_000);
      expect(await world.statusOf(id)).toBe("ready");
    });

    test("[ST5] closed and private lobbies stop for being empty like others", async () => {
      const world = await createWorld(factory, { idle: [{ gameMode: "duel", region: "local", min: 2 }] });
      const closed = await world.ready({ emptyMs: 1000 });
      await world.setClosed(closed.id);
      const hidden = await world.ready({ emptyMs: 1000, isPrivate: true });
      await world.pass(1000);
      expect(await world.statusOf(closed.id)).toBe("stopped: empty");
      expect(await world.statusOf(hidden.id)).toBe("stopped: empty");
    });

    test("[ST6] a namespace with living lobbies is removed by force only; then everything in it has ended", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1 });
      const remove = (force: boolean) => world.execute<"removeNamespace">({ type: "removeNamespace", force });
      expect(await remove(false)).toEqual(refusal("NAMESPACE_NOT_EMPTY"));
      const received = listen(world);
      expect(await remove(true)).toEqual({ ok: true });
      expect((await received(2)).map((event) => event.type)).toEqual(["player.left", "lobby.stopped"]);
      for (const outcome of await ownCalls(world, id, players[0]!)) expect(outcome).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect(await world.find()).toEqual(refusal("STALE_REVISION"));
      expect(await world.counts()).toMatchObject({ revision: null, ready: 0, reserved: 0 });
    });

    test("[ST6] [G8] a namespace that is marked as removed refuses calls; its lobbies end with its removal", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1 });
      const mark = { type: "removeNamespace", force: true, onlyMark: true } as const;
      expect(await world.execute<"removeNamespace">({ ...mark, force: false })).toEqual(refusal("NAMESPACE_NOT_EMPTY"));
      const received = listen(world);
      expect(await world.execute<"removeNamespace">(mark)).toEqual({ ok: true });
      for (const outcome of await ownCalls(world, id, players[0]!)) expect(outcome).toEqual(refusal("LOBBY_NOT_FOUND"));
      expect(await world.read<"lobby">({ type: "lobby", lobbyId: id })).toBeNull();
      expect(await world.find()).toEqual(refusal("STALE_REVISION"));
      expect(await world.counts()).toMatchObject({ revision: null });
      expect(await world.execute<"removeNamespace">({ type: "removeNamespace", force: true })).toEqual({ ok: true });
      expect((await received(2)).map((event) => event.type)).toEqual(["player.left", "lobby.stopped"]);
      expect(await world.counts()).toMatchObject({ revision: null, ready: 0, reserved: 0 });
    });

    test("[ST6] the store restores a removed namespace, also with the same or an older revision", async () => {
      const world = await createWorld(factory);
      const before = world.revision;
      await world.configure();
      for (const revision of [world.revision, before]) {
        await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
        const word = {
          type: "configure" as const,
          revision,
          limits: { lobbyCountMax: 5, maxPlayers: 9, maxPlayersPerClient: null },
          deployedVersionId: versionA,
          idleMinimums: [],
        };
        expect(await world.execute<"configure">(word)).toEqual({ ok: true, isApplied: false });
        expect(await world.execute<"configure">({ ...word, isAuthoritative: true })).toEqual({
          ok: true,
          isApplied: true,
        });
        world.revision = revision;
        expect(await world.counts()).toMatchObject({ revision });
        expect((await world.find()).ok).toBe(true);
      }
    });

    test("[ST6] a removed namespace is not brought back by a late configuration, and forgotten after 10 minutes", async () => {
      const world = await createWorld(factory);
      await world.execute<"removeNamespace">({ type: "removeNamespace", force: false });
      expect(await world.configure()).toEqual({ ok: true, isApplied: false });
      expect(await world.create("created", { party: 1 })).toEqual(refusal("STALE_REVISION"));
      const names = async () => (await world.read<"namespaces">({ type: "namespaces" })).length;
      await world.pass(rememberedMs - 1);
      expect(await names()).toBe(1);
      await world.pass(1);
      expect(await names()).toBe(0);
    });
  });
}
