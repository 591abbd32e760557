import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, listen, seated } from "./world.ts";

export function eventsSuite(factory: EngineFactory): void {
  describe("events", () => {
    test("[E1] everything that happens is told once, in order, with the time as of which it happened", async () => {
      const world = await createWorld(factory);
      const heard = listen(world);
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
      const events = await heard(14);
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

    test("[E2] every listener hears everything from its beginning on, whoever else comes and goes", async () => {
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
  });
}
