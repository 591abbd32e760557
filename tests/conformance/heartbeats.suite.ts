import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, listen, refusal, versionB } from "../support/world.ts";

export function heartbeatsSuite(factory: EngineFactory): void {
  describe("heartbeats", () => {
    test("[H1] connected players missing from two heartbeats in a row are freed, not after one", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 4, party: 3 });
      const [here, ghost, reserved] = players as [string, string, string];
      await world.connect(id, here);
      await world.connect(id, ghost);
      const both = {
        ok: true,
        players: [
          { playerId: here, isHeld: false },
          { playerId: ghost, isHeld: false },
        ],
        isClosed: false,
        isClosedByOperator: false,
        isOutdated: false,
        heartbeatMs: 0,
        reconnectMs: 0,
      };
      expect(await world.heartbeat(id, [here])).toEqual(both);
      expect(await world.heartbeat(id, [here, ghost])).toEqual(both);
      expect(await world.heartbeat(id, [here])).toEqual(both);
      expect(await world.heartbeat(id, [here])).toEqual({ ...both, players: [{ playerId: here, isHeld: false }] });
      expect(await world.connect(id, ghost)).toEqual(refusal("PLAYER_REMOVED"));
      expect(await world.connect(id, reserved)).toEqual({ ok: true, isReturn: false });
      expect(await world.lobby(id)).toMatchObject({ connected: 2, reserved: 0 });
    });

    test("[H11] a lobby without a period need send none before its first heartbeat, and then must, also after a restart", async () => {
      const world = await createWorld(factory);
      const usual = { heartbeatMs: 1000, isMute: true, emptyMs: 1e9 };
      const never = await world.ready(usual);
      const once = await world.ready(usual);
      await world.pass(50_000);
      expect(await world.lobby(never.id)).toMatchObject({ status: "ready", isSilent: false });
      expect(await world.heartbeat(once.id)).toMatchObject({ ok: true, heartbeatMs: 1000 });
      await world.restart();
      await world.execute<"restarted">({ type: "restarted" });
      await world.pass(999);
      expect(await world.lobby(once.id)).toMatchObject({ isSilent: false });
      await world.pass(1);
      expect(await world.lobby(once.id)).toMatchObject({ isSilent: true });
      await world.pass(10_000);
      expect(await world.statusOf(once.id)).toBe("stopped: silent");
      expect(await world.lobby(never.id)).toMatchObject({ status: "ready", isSilent: false });
    });

    test("[H11] a first heartbeat of a starting lobby counts from ready on", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ heartbeatMs: 1000, isMute: true, emptyMs: 1e9 });
      await world.heartbeat(id);
      await world.pass(5000);
      await world.setReady(id);
      await world.pass(999);
      expect(await world.lobby(id)).toMatchObject({ isSilent: false });
      await world.pass(1);
      expect(await world.lobby(id)).toMatchObject({ isSilent: true });
    });

    test("[H1] a heartbeat that names no players says nothing about them, and reserved seats are never ghosts", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2 });
      await world.connect(id, players[0]!);
      await world.heartbeat(id, []);
      await world.heartbeat(id);
      await world.heartbeat(id);
      expect(await world.lobby(id)).toMatchObject({ connected: 1, reserved: 1 });
      await world.heartbeat(id, []);
      expect(await world.lobby(id)).toMatchObject({ connected: 0, reserved: 1 });
    });

    test("[H2] is_closed closes and never reopens, and the answer is what the matchmaker believes", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ party: 1 });
      const received = listen(world);
      expect(await world.heartbeat(id, null, false)).toMatchObject({ isClosed: false });
      expect(await world.heartbeat(id, null, true)).toMatchObject({ isClosed: true });
      expect(await world.heartbeat(id, null, false)).toMatchObject({ isClosed: true });
      expect(await world.heartbeat(id)).toMatchObject({ isClosed: true });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      await world.stop(id);
      const types = (await received(3)).map((event) => event.type);
      expect(types).toEqual(["lobby.closed", "player.left", "lobby.stopped"]);
    });

    test("[H3] ids that are not this lobby's are ignored", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2 });
      const other = await world.ready({ party: 1 });
      await world.connect(id, players[0]!);
      const named = [players[0]!, players[1]!, other.players[0]!, world.id()];
      expect(await world.heartbeat(id, named)).toMatchObject({ players: [{ playerId: players[0], isHeld: false }] });
      expect(await world.lobby(other.id)).toMatchObject({ reserved: 1, connected: 0 });
    });

    test("[H4] a heartbeat of a lobby of another version says that it is outdated", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ party: 1 });
      await world.configure({ versionId: versionB });
      expect(await world.heartbeat(id)).toMatchObject({ isOutdated: true });
    });

    test("[H5] silence begins exactly one period after ready or the last heartbeat", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ party: 1, maxPlayers: 9, heartbeatMs: 1000 });
      await world.pass(50_000);
      expect((await world.lobby(id))?.isSilent).toBe(false);
      await world.setReady(id);
      await world.pass(999);
      await world.heartbeat(id);
      await world.pass(999);
      expect(await world.route()).toBe(id);
      await world.pass(1);
      expect(await world.lobby(id)).toMatchObject({ isSilent: true, silentSince: world.now });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
    });

    test("[H6] a silent lobby loses nothing, and its next heartbeat makes it routable again", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ maxPlayers: 9, party: 2, heartbeatMs: 1000, tags: { map: "ice" } });
      await world.connect(id, players[0]!);
      await world.pass(1000);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", isSilent: true, reserved: 1, connected: 1 });
      expect(await world.connect(id, players[1]!)).toEqual({ ok: true, isReturn: false });
      expect((await world.lobby(id))?.isSilent).toBe(true);
      await world.heartbeat(id);
      expect(await world.lobby(id)).toMatchObject({ isSilent: false, connected: 2 });
      expect(await world.route({ tags: { map: "ice" } })).toBe(id);
    });

    test("[H7] silent for ten periods it is stopped, one millisecond earlier it is not", async () => {
      const world = await createWorld(factory);
      const gone = await world.ready({ party: 1, heartbeatMs: 1000 });
      const back = await world.ready({ party: 1, heartbeatMs: 1000 });
      await world.pass(1000 + 10_000 - 1);
      expect(await world.statusOf(gone.id)).toBe("ready");
      await world.heartbeat(back.id);
      await world.pass(1);
      expect(await world.statusOf(gone.id)).toBe("stopped: silent");
      expect(await world.statusOf(back.id)).toBe("ready");
      expect(await world.heartbeat(gone.id)).toEqual(refusal("LOBBY_STOPPED"));
    });

    test("[H8] when the service was down the clocks start again: no lobby becomes silent or stops because of it", async () => {
      const world = await createWorld(factory);
      const speaking = await world.ready({ maxPlayers: 9, party: 2, heartbeatMs: 1000 });
      await world.connect(speaking.id, speaking.players[0]!);
      const silent = await world.ready({ party: 1, heartbeatMs: 500 });
      await world.pass(500);
      await world.heartbeat(speaking.id);
      await world.restart();
      world.now += 60_000;
      expect(await world.lobby(speaking.id)).toMatchObject({ isSilent: false, connected: 1 });
      expect(await world.lobby(silent.id)).toMatchObject({ status: "ready", isSilent: true });
      await world.pass(1000);
      expect(await world.lobby(speaking.id)).toMatchObject({ isSilent: true });
      await world.pass(4000);
      expect(await world.statusOf(silent.id)).toBe("stopped: silent");
      expect(await world.statusOf(speaking.id)).toBe("ready");
    });

    test("[H8] the command that says so does the same without a restart", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1, heartbeatMs: 1000 });
      await world.connect(id, players[0]!);
      world.now += 999_000;
      expect(await world.execute<"restarted">({ type: "restarted" })).toEqual({ ok: true });
      expect(await world.lobby(id)).toMatchObject({ status: "ready", isSilent: false });
      await world.pass(1000);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", isSilent: true });
    });

    test("[H9] without a period a lobby may be silent for ever, and still send heartbeats", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1, heartbeatMs: 0 });
      await world.connect(id, players[0]!);
      await world.pass(1_000_000_000);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", isSilent: false, lastHeartbeatAt: null });
      await world.heartbeat(id);
      expect(await world.lobby(id)).toMatchObject({ lastHeartbeatAt: world.now });
    });
  });
}
