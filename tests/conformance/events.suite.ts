import { describe, expect, test } from "vitest";
import { beforeEvents, isLater } from "../../src/engine/positions.ts";
import { createWorld, type EngineFactory, listen, seated, World } from "../support/world.ts";

export function eventsSuite(factory: EngineFactory): void {
  describe("events", () => {
    test("[E1] every event is published once, in order, with the time as of which it happened", async () => {
      const world = await createWorld(factory);
      const received = listen(world);
      const begin = world.now;
      await world.configure();
      const found = seated(await world.find({ create: { reservationMs: 1000, heartbeatMs: 5000 } }));
      const { lobbyId } = found.lobby;
      await world.setReady(lobbyId);
      await world.setReady(lobbyId);
      await world.setClosed(lobbyId);
      await world.setClosed(lobbyId, false);
      await world.execute<"setState">({ type: "setState", lobbyId, state: "1" });
      const [joined] = seated(await world.join(lobbyId)).playerIds;
      await world.connect(lobbyId, joined!);
      world.now += 6000;
      await world.heartbeat(lobbyId);
      await world.disconnect(lobbyId, joined!);
      await world.stop(lobbyId);
      const events = await received(14);
      expect(events.map((event) => [event.type, event.at - begin])).toEqual([
        ["namespace.configured", 0],
        ["lobby.created", 0],
        ["player.reserved", 0],
        ["lobby.ready", 0],
        ["lobby.closed", 0],
        ["lobby.opened", 0],
        ["lobby.changed", 0],
        ["player.reserved", 0],
        ["player.connected", 0],
        ["player.expired", 1000],
        ["lobby.changed", 5000],
        ["lobby.changed", 6000],
        ["player.left", 6000],
        ["lobby.stopped", 6000],
      ]);
      expect(events.every((event) => event.namespaceId === world.namespaceId)).toBe(true);
    });

    test("[E2] every listener receives all events from its start on, whatever other listeners do", async () => {
      const world = await createWorld(factory);
      const { engine } = world.under;
      const first = listen(world);
      const leaving = engine.events()[Symbol.asyncIterator]();
      const { id } = await world.starting();
      const [created] = await first(1);
      await leaving.return?.();
      const second = listen(world);
      await world.setReady(id);
      await world.stop(id);
      const rest = await first(2);
      expect([created!, ...rest].map(({ type }) => type)).toEqual(["lobby.created", "lobby.ready", "lobby.stopped"]);
      expect(await second(2)).toEqual(rest);
      expect(await leaving.next()).toEqual({ done: true, value: undefined });
    });

    test("[EV1] [EV8] events have positions that grow, each namespace by itself", async () => {
      const world = await createWorld(factory);
      const { engine } = world.under;
      const received = listen(world);
      const neighbour = await world.neighbour();
      const { id } = await world.ready();
      await neighbour.ready();
      await world.stop(id);
      const positions = (await received(6)).flatMap(({ namespaceId, position }) =>
        namespaceId === world.namespaceId ? [position] : [],
      );
      expect(positions).toHaveLength(3);
      expect(positions.map((position, at) => at === 0 || isLater(position, positions[at - 1]!))).toEqual(
        positions.map(() => true),
      );
      expect(isLater(positions[0]!, beforeEvents)).toBe(true);
      expect(await engine.position(world.namespaceId)).toBe(positions.at(-1));
    });

    test("[EV2] [EV3] events after a position can be read while a listener keeps them", async () => {
      const world = await createWorld(factory);
      const { engine } = world.under;
      const { namespaceId } = world;
      const drop = engine.keepEvents(namespaceId);
      const received = listen(world);
      const start = await engine.position(namespaceId);
      const { id } = await world.ready();
      await world.stop(id);
      const events = await received(3);
      const askAfter = (position: string, max = 100) => engine.eventsAfter(namespaceId, position, max);
      expect(await askAfter(start)).toEqual(events);
      expect(await askAfter(start, 2)).toEqual(events.slice(0, 2));
      expect(await askAfter(events[0]!.position)).toEqual(events.slice(1));
      expect(await askAfter(events[2]!.position)).toEqual([]);
      expect(await engine.latest(namespaceId, 2)).toEqual(events.slice(1));
      for (const position of ["99999999999999-0", "nonsense", ""]) expect(await askAfter(position)).toBeNull();
      expect(await engine.eventsAfter("unknown", events[0]!.position, 100)).toBeNull();
      drop();
      expect(await askAfter(events[1]!.position)).toEqual(events.slice(2));
    });

    test("[EV2] a namespace whose first event is still to come has a position, and what follows it is known", async () => {
      const world = await createWorld(factory);
      const { engine } = world.under;
      const unborn = world.id();
      engine.keepEvents(unborn);
      const start = await engine.position(unborn);
      expect(isLater(start, beforeEvents)).toBe(false);
      const received = listen(world);
      const born = new World(world.under, unborn, world.ids);
      await born.configure();
      expect(await engine.eventsAfter(unborn, start, 100)).toEqual(await received(1));
    });
  });
}
