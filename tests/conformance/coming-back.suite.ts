import { describe, expect, test } from "vitest";
import { alice, createWorld, type EngineFactory, listen, refusal, versionB, type World } from "../support/world.ts";

const changed = { ok: true, isChanged: true };
const unchanged = { ok: true, isChanged: false };

/** A ready lobby with players that have connected, where dropped ones may come back for a second. */
async function playing(world: World, options: Parameters<World["ready"]>[0] = {}) {
  const lobby = await world.ready({ maxPlayers: 2, party: 2, reconnectMs: 1000, ...options });
  for (const player of lobby.players) expect(await world.connect(lobby.id, player)).toMatchObject({ isReturn: false });
  const [first, second] = lobby.players as [string, string];
  return { ...lobby, first, second };
}

const statusIn = async (world: World, playerId: string) => (await world.seat(playerId))?.player.status;

export function comingBackSuite(factory: EngineFactory): void {
  describe("coming back", () => {
    test("[CB1] a dropped player's seat is held, and connected with its token ends the hold", async () => {
      const world = await createWorld(factory);
      const { id, first } = await playing(world);
      const hear = listen(world);
      expect(await world.disconnect(id, first, true)).toEqual(changed);
      expect(await world.lobby(id)).toMatchObject({ connected: 1, held: 1, reserved: 0 });
      expect((await world.seat(first))?.player).toMatchObject({ status: "held", expiresAt: world.now + 1000 });
      await world.pass(999);
      expect(await world.connect(id, first)).toEqual({ ok: true, isReturn: true });
      expect(await world.connect(id, first)).toEqual(refusal("PLAYER_ALREADY_CONNECTED"));
      expect(await world.lobby(id)).toMatchObject({ connected: 2, held: 0 });
      await world.pass(600_000);
      expect(await statusIn(world, first)).toBe("connected");
      const events = await hear(2);
      expect(events).toMatchObject([
        { type: "player.held", playerId: first, lobbyId: id, status: "held" },
        { type: "player.returned", playerId: first, lobbyId: id, status: "connected" },
      ]);
    });

    test("[CB2] a hold ends exactly at its deadline, once, as not_returned", async () => {
      const world = await createWorld(factory);
      const { id, first, second } = await playing(world);
      await world.disconnect(id, first, true);
      await world.disconnect(id, second, true);
      const hear = listen(world);
      world.now += 1000;
      expect(await world.connect(id, first)).toEqual(refusal("PLAYER_REMOVED"));
      await world.heartbeat(id, [first, second]);
      await world.pass(5000);
      expect(await world.disconnect(id, first)).toEqual(unchanged);
      expect(await statusIn(world, first)).toBe("not_returned");
      await world.setClosed(id);
      const events = await hear(3);
      expect(events).toMatchObject([
        { type: "player.left", playerId: first, status: "not_returned" },
        { type: "player.left", playerId: second, status: "not_returned" },
        { type: "lobby.closed" },
      ]);
      expect(await world.lobby(id)).toMatchObject({ connected: 0, held: 0 });
    });

    test("[CB3] with reconnect_s 0 may_return means nothing", async () => {
      const world = await createWorld(factory);
      const { id, first } = await playing(world, { reconnectMs: 0, party: 1 });
      const reserved = await world.join(id);
      expect(await world.disconnect(id, first, true)).toEqual(changed);
      expect(await world.disconnect(id, reserved.ok ? reserved.playerIds[0]! : "", true)).toEqual(changed);
      expect(await world.lobby(id)).toMatchObject({ connected: 0, held: 0, reserved: 0 });
      expect(await world.connect(id, first)).toEqual(refusal("PLAYER_REMOVED"));
    });

    test("[CB4] may_return changes nothing on a reserved or held seat, its deadline neither", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2, reconnectMs: 1000, reservationMs: 5000 });
      const [held, reserved] = players as [string, string];
      await world.connect(id, held);
      await world.disconnect(id, held, true);
      await world.pass(600);
      expect(await world.disconnect(id, held, true)).toEqual(unchanged);
      expect(await world.disconnect(id, reserved, true)).toEqual(unchanged);
      expect((await world.seat(held))?.player.expiresAt).toBe(world.now + 400);
      expect((await world.seat(reserved))?.player).toMatchObject({ status: "reserved", expiresAt: world.now + 4400 });
      await world.pass(400);
      expect(await statusIn(world, held)).toBe("not_returned");
      expect(await statusIn(world, reserved)).toBe("reserved");
    });

    test("[CB4] disconnected without may_return frees reserved, connected and held seats at once", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 3, party: 3, reconnectMs: 1000 });
      const [held, connected, reserved] = players as [string, string, string];
      await world.connect(id, held);
      await world.connect(id, connected);
      await world.disconnect(id, held, true);
      for (const player of [held, connected, reserved]) {
        expect(await world.disconnect(id, player)).toEqual(changed);
        expect(await world.disconnect(id, player, true)).toEqual(unchanged);
        expect(await statusIn(world, player)).toBe("left");
      }
    });

    test("[CB5] two heartbeats that do not name a connected player hold its seat, and one that names it ends the hold", async () => {
      const world = await createWorld(factory);
      const { id, first, second } = await playing(world, { heartbeatMs: 60_000 });
      const inside = (isHeld: boolean) => ({
        players: [
          { playerId: first, isHeld: false },
          { playerId: second, isHeld },
        ],
        heartbeatMs: 60_000,
        reconnectMs: 1000,
      });
      expect(await world.heartbeat(id, [first])).toMatchObject(inside(false));
      expect(await world.heartbeat(id, [first])).toMatchObject(inside(true));
      await world.pass(500);
      expect(await world.heartbeat(id)).toMatchObject(inside(true));
      expect((await world.seat(second))?.player.expiresAt).toBe(world.now + 500);
      const hear = listen(world);
      expect(await world.heartbeat(id, [first, second])).toMatchObject(inside(false));
      expect(await hear(1)).toMatchObject([{ type: "player.returned", playerId: second, status: "connected" }]);
      // Missing once since it is back: it takes two again.
      expect(await world.heartbeat(id, [first])).toMatchObject(inside(false));
      expect(await world.heartbeat(id, [first])).toMatchObject(inside(true));
      await world.pass(1000);
      expect(await statusIn(world, second)).toBe("not_returned");
    });

    test("[CB6] a held seat is never given away: it counts for caps, its client and its Idempotency-Key", async () => {
      const world = await createWorld(factory);
      await world.configure({ maxPlayersPerClient: 2 });
      const found = await world.find({ party: 2, key: "k", create: { maxPlayers: 2, reconnectMs: 1000 } });
      if (!found.ok) throw new Error(found.code);
      const { lobbyId } = found.lobby;
      const [player] = found.playerIds as [string];
      await world.setReady(lobbyId);
      for (const id of found.playerIds) await world.connect(lobbyId, id);
      for (const id of found.playerIds) await world.disconnect(lobbyId, id, true);
      expect(await world.route({ client: "192.0.2.77" })).toBe("NO_AVAILABLE_LOBBIES");
      expect(await world.join(lobbyId, { client: "192.0.2.77" })).toEqual(refusal("LOBBY_FULL"));
      expect(await world.find({ client: alice })).toEqual(refusal("TOO_MANY_PLAYERS_FROM_SOURCE"));
      expect(await world.find({ party: 2, key: "k" })).toMatchObject({ isReplay: true, playerIds: found.playerIds });
      expect((await world.read({ type: "statistics" })).playerCount).toBe(2);
      expect(await world.counts()).toMatchObject({ reserved: 0, connected: 0, held: 2 });
      await world.pass(1000);
      expect(await world.find({ client: alice })).toMatchObject({ ok: true, isNewLobby: false });
      expect(await statusIn(world, player)).toBe("not_returned");
    });

    test("[CB7] no cap, limit, close, silence or deploy refuses a return", async () => {
      const world = await createWorld(factory);
      const { id, first, second } = await playing(world, { heartbeatMs: 100, isExternal: true });
      await world.disconnect(id, first, true);
      await world.disconnect(id, second, true);
      await world.setClosed(id);
      await world.setOperatorClosed(id);
      await world.configure({ maxPlayers: 0, lobbyCountMax: 0, maxPlayersPerClient: 0, versionId: versionB });
      await world.pass(500);
      expect((await world.lobby(id))?.isSilent).toBe(true);
      expect(await world.connect(id, first)).toEqual({ ok: true, isReturn: true });
      expect(await world.heartbeat(id, [first, second])).toMatchObject({
        players: [
          { playerId: first, isHeld: false },
          { playerId: second, isHeld: false },
        ],
      });
    });

    test("[CB8] a lobby with only held seats is neither empty nor idle, and drains when they end", async () => {
      const world = await createWorld(factory);
      await world.configure({ idle: [{ gameMode: "duel", region: "local", min: 1 }] });
      const { id, first } = await playing(world, { party: 1, emptyMs: 100, reconnectMs: 10_000 });
      await world.disconnect(id, first, true);
      await world.pass(9_999);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", emptySince: null, peakSeats: 1 });
      expect(await world.read({ type: "missingIdle" })).toMatchObject([{ missing: 1 }]);
      await world.configure({ versionId: versionB, idle: [] });
      expect(await world.statusOf(id)).toBe("ready");
      await world.pass(1);
      expect(await world.statusOf(id)).toBe("stopped: outdated");
      expect(await statusIn(world, first)).toBe("not_returned");
    });

    test("[CB8] held seats end with their lobby", async () => {
      const world = await createWorld(factory);
      const { id, first } = await playing(world);
      await world.disconnect(id, first, true);
      await world.stop(id);
      expect(await statusIn(world, first)).toBe("ended");
      expect(await world.counts()).toMatchObject({ connected: 0, held: 0 });
    });

    test("[CB8] a block of its client ends a held seat as left", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ reconnectMs: 1000 });
      const joined = await world.join(id, { client: "192.0.2.1" });
      const player = joined.ok ? joined.playerIds[0]! : "";
      await world.connect(id, player);
      await world.disconnect(id, player, true);
      const range = { family: 4, high: 0, from: 0xc0000201, to: 0xc0000201 } as const;
      expect(await world.execute<"endSeats">({ type: "endSeats", range, after: null })).toMatchObject({ ended: 1 });
      expect(await statusIn(world, player)).toBe("left");
    });

    test("[CB9] the deadline of a hold is kept over a restart and goes on while Foyer is down", async () => {
      const world = await createWorld(factory);
      const { id, first, second } = await playing(world);
      await world.disconnect(id, first, true);
      await world.pass(400);
      await world.disconnect(id, second, true);
      await world.restart();
      world.now += 600;
      expect(await world.connect(id, first)).toEqual(refusal("PLAYER_REMOVED"));
      expect((await world.seat(second))?.player).toMatchObject({ status: "held", expiresAt: world.now + 400 });
      expect(await world.connect(id, second)).toEqual({ ok: true, isReturn: true });
    });

    test("[CB10] a player may release a reserved or held seat, not a connected one", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 3, party: 3, reconnectMs: 1000 });
      const [held, connected, reserved] = players as [string, string, string];
      await world.connect(id, held);
      await world.connect(id, connected);
      await world.disconnect(id, held, true);
      const hear = listen(world);
      expect(await world.releasePlayer(connected)).toEqual(refusal("PLAYER_ALREADY_CONNECTED"));
      expect(await world.releasePlayer(held)).toEqual(changed);
      expect(await world.releasePlayer(held)).toEqual(unchanged);
      expect(await world.releasePlayer(reserved)).toEqual(changed);
      expect(await world.releasePlayer(world.id())).toEqual(unchanged);
      expect(await world.connect(id, held)).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.lobby(id)).toMatchObject({ connected: 1, held: 0, reserved: 0 });
      expect(await hear(2)).toMatchObject([
        { type: "player.left", playerId: held, status: "released" },
        { type: "player.left", playerId: reserved, status: "released" },
      ]);
    });

    test("[CB10] a call that gave up releases its reserved seats only, not a held one", async () => {
      const world = await createWorld(factory);
      const { id, first } = await playing(world);
      await world.disconnect(id, first, true);
      expect(await world.release([first])).toEqual({ ok: true, released: 0 });
      expect(await statusIn(world, first)).toBe("held");
    });

    test("[CB11] a seat can be read while it is taken or remembered, with its lobby", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 1, reconnectMs: 1000 });
      const [player] = players as [string];
      expect(await world.seat(player)).toMatchObject({
        player: { playerId: player, lobbyId: id, status: "reserved", expiresAt: null },
        lobby: { lobbyId: id, status: "starting", reserved: 1 },
      });
      await world.stop(id);
      expect(await world.seat(player)).toMatchObject({
        player: { status: "ended", expiresAt: null },
        lobby: { status: "stopped" },
      });
      await world.pass(600_000);
      expect(await world.seat(player)).toBeNull();
      expect(await world.seat(world.id())).toBeNull();
    });
  });
}
