import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, refusal, seated } from "../support/world.ts";

export function readinessSuite(factory: EngineFactory): void {
  describe("readiness", () => {
    test("[R1] [I11] the first ready counts; a second one changes nothing and restarts no clock", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 2, reservationMs: 1000 });
      const readyAt = world.now;
      await world.connect(id, players[0]!);
      await world.pass(999);
      expect(await world.setReady(id)).toEqual({ ok: true, isChanged: false });
      expect((await world.lobby(id))?.readyAt).toBe(readyAt);
      await world.pass(1);
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
    });

    test("[R5] a node that lost a lobby neither makes it ready nor says what it waits for; its new node does", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting();
      const place = (nodeId: string, insteadOf?: string) =>
        world.execute({ type: "placeLobby", lobbyId: id, nodeId, ...(insteadOf && { insteadOf }) });
      await place("node-a");
      await place("node-b", "node-a");
      const setReady = (nodeId: string, waitsFor?: string) =>
        world.execute<"setReady">({ type: "setReady", lobbyId: id, nodeId, ...(waitsFor && { waitsFor }) });
      expect(await setReady("node-a", "its ports")).toEqual(refusal("ALREADY_PLACED"));
      expect(await setReady("node-a")).toEqual(refusal("ALREADY_PLACED"));
      expect(await world.lobby(id)).toMatchObject({ status: "starting", waitsFor: null });
      expect(await setReady("node-b")).toEqual({ ok: true, isChanged: true });
    });

    test("[R2] [I11] the clock of a seat reserved before ready starts at ready, once, and of connected seats never", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 2, reservationMs: 1000 });
      await world.connect(id, players[0]!);
      await world.pass(5000);
      const seats = () => world.read<"players">({ type: "players", lobbyId: id });
      expect((await seats()).map((player) => player.expiresAt)).toEqual([null, null]);
      await world.setReady(id);
      expect((await seats()).map((player) => player.expiresAt)).toEqual([null, world.now + 1000]);
      await world.pass(999);
      expect(await world.lobby(id)).toMatchObject({ reserved: 1, connected: 1 });
      await world.pass(1);
      expect(await world.lobby(id)).toMatchObject({ reserved: 0, connected: 1 });
    });

    test("[R3] [I12] a lobby that is not ready in time stops at that moment, and its seats end with it", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 2, readyMs: 5000 });
      await world.pass(4999);
      expect(await world.statusOf(id)).toBe("starting");
      await world.pass(1);
      expect(await world.statusOf(id)).toBe("stopped: not_ready");
      expect(await world.counts()).toMatchObject({ starting: 0, reserved: 0 });
      expect(await world.setReady(id)).toEqual(refusal("LOBBY_STOPPED"));
      expect(await world.connect(id, players[0]!)).toEqual(refusal("LOBBY_STOPPED"));
    });

    test("[R3] ready one millisecond before the deadline keeps the lobby, at the deadline it is too late", async () => {
      const world = await createWorld(factory);
      const early = await world.starting({ party: 1, readyMs: 5000 });
      const late = await world.starting({ party: 1, readyMs: 5000 });
      world.now += 4999;
      expect(await world.setReady(early.id)).toEqual({ ok: true, isChanged: true });
      world.now += 1;
      expect(await world.setReady(late.id)).toEqual(refusal("LOBBY_STOPPED"));
      expect(await world.statusOf(early.id)).toBe("ready");
    });

    test("[R3] an external lobby that is registered but never ready stops as well", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ isExternal: true, readyMs: 5000 });
      await world.pass(5000);
      expect(await world.statusOf(id)).toBe("stopped: not_ready");
    });

    test("[R5] a lobby that has called ready and waits for its ports is starting, also after a restart, until they accept", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ party: 1, readyMs: 5000, reservationMs: 1000 });
      const late = await world.starting({ party: 1, readyMs: 5000 });
      const setReady = (lobbyId: string, waitsFor: string) =>
        world.execute<"setReady">({ type: "setReady", lobbyId, waitsFor });
      expect(await setReady(id, "its ports")).toEqual({ ok: true, isChanged: true });
      expect(await setReady(id, "its ports")).toEqual({ ok: true, isChanged: false });
      expect(await setReady(late.id, "PORT_A (1)")).toEqual({ ok: true, isChanged: true });
      expect(await setReady(late.id, "PORT_B (2)")).toEqual({ ok: true, isChanged: true });
      await world.restart();
      expect(await world.lobby(id)).toMatchObject({ status: "starting", readyAt: null, waitsFor: "its ports" });
      await world.pass(4000);
      expect(await world.lobby(id)).toMatchObject({ status: "starting", reserved: 1 });
      expect(await world.setReady(id)).toEqual({ ok: true, isChanged: true });
      expect(await world.lobby(id)).toMatchObject({ status: "ready", readyAt: world.now, waitsFor: null });
      expect(await setReady(id, "its ports")).toEqual({ ok: true, isChanged: false });
      await world.pass(1000);
      expect(await world.lobby(late.id)).toMatchObject({ stopReason: "not_ready", waitsFor: "PORT_B (2)" });
    });

    test("[R4] [I12] finds and joins may take seats in a starting lobby, and it stops while they wait", async () => {
      const world = await createWorld(factory);
      const { id } = await world.starting({ maxPlayers: 3, party: 1 });
      expect(seated(await world.find()).lobby).toMatchObject({ lobbyId: id, status: "starting" });
      expect(seated(await world.join(id)).lobby).toMatchObject({ lobbyId: id, status: "starting", reserved: 3 });
      await world.execute<"stopLobby">({ type: "stopLobby", lobbyId: id, reason: "start_failed", exit: '{"code":1}' });
      expect(await world.lobby(id)).toMatchObject({
        status: "stopped",
        stopReason: "start_failed",
        exit: '{"code":1}',
      });
      expect(await world.counts()).toMatchObject({ reserved: 0, starting: 0 });
    });
  });
}
