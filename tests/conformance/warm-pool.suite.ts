import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, refusal, seated, versionB, type World } from "../support/world.ts";

const idle = (min: number) => [{ gameMode: "duel", region: "local", min }];
const missing = (world: World) => world.read<"missingIdle">({ type: "missingIdle" });

export function warmPoolSuite(factory: EngineFactory): void {
  describe("warm pool", () => {
    test("[W1] it reports how many idle lobbies each game mode and region is short of; starting ones count", async () => {
      const world = await createWorld(factory, { idle: [...idle(2), { gameMode: "royale", region: "far", min: 1 }] });
      expect(await missing(world)).toEqual([
        { gameMode: "duel", region: "local", missing: 2 },
        { gameMode: "royale", region: "far", missing: 1 },
      ]);
      await world.create("warm");
      await world.create("warm", { gameMode: "royale", region: "far" });
      expect(await missing(world)).toEqual([{ gameMode: "duel", region: "local", missing: 1 }]);
      await world.ready();
      expect(await missing(world)).toEqual([]);
    });

    test("[W2] of many that start a warm lobby at once only those that are needed do", async () => {
      const world = await createWorld(factory, { idle: idle(2) });
      const outcomes = await Promise.all(Array.from({ length: 9 }, () => world.create("warm")));
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(2);
      expect(outcomes[8]).toEqual(refusal("NOT_NEEDED"));
      expect(await world.create("warm", { region: "far" })).toEqual(refusal("NOT_NEEDED"));
      expect(seated(outcomes[0]!).lobby).toMatchObject({ createReason: "warm", createdBy: null, reserved: 0 });
    });

    test("[W3] a find takes a warm lobby, and then one is missing again", async () => {
      const world = await createWorld(factory, { idle: idle(1) });
      const { lobby } = seated(await world.create("warm"));
      await world.setReady(lobby.lobbyId);
      expect(seated(await world.find()).lobby.lobbyId).toBe(lobby.lobbyId);
      expect(await missing(world)).toEqual([{ gameMode: "duel", region: "local", missing: 1 }]);
    });

    test("[W4] the oldest idle lobbies are kept, as many as wanted; the others stop after their time", async () => {
      const world = await createWorld(factory, { idle: idle(2) });
      const lobbies = [];
      for (let i = 0; i < 4; i++) {
        lobbies.push(await world.ready({ emptyMs: 1000 }));
        world.now += 1;
      }
      await world.pass(1_000_000);
      const statuses = await Promise.all(lobbies.map(({ id }) => world.statusOf(id)));
      expect(statuses).toEqual(["ready", "ready", "forgotten", "forgotten"]);
    });

    test("[W5] a kept lobby stops immediately when an older one becomes idle again and its own time is over", async () => {
      const world = await createWorld(factory, { idle: idle(1) });
      const older = await world.ready({ party: 1, emptyMs: 1000 });
      world.now += 1;
      const younger = await world.ready({ emptyMs: 1000 });
      await world.pass(50_000);
      expect(await world.statusOf(younger.id)).toBe("ready");
      await world.disconnect(older.id, older.players[0]!);
      expect(await world.lobby(younger.id)).toMatchObject({ stopReason: "empty", stoppedAt: world.now });
      await world.pass(50_000);
      expect(await world.statusOf(older.id)).toBe("ready");
    });

    test("[W5] when a kept lobby is taken the next one is kept instead", async () => {
      const world = await createWorld(factory, { idle: idle(1) });
      const older = await world.ready({ emptyMs: 1000 });
      world.now += 1;
      const younger = await world.ready({ emptyMs: 1000 });
      await world.pass(500);
      expect(await world.route()).toBe(older.id);
      await world.pass(50_000);
      expect(await world.statusOf(younger.id)).toBe("ready");
      expect(await missing(world)).toEqual([]);
    });

    test("[W6] only open, public, speaking lobbies that Foyer runs count as idle", async () => {
      const world = await createWorld(factory, { idle: idle(1) });
      const wanted = [{ gameMode: "duel", region: "local", missing: 1 }];
      await world.ready({ isExternal: true });
      await world.ready({ isPrivate: true });
      const closed = await world.ready();
      await world.setClosed(closed.id);
      expect(await missing(world)).toEqual(wanted);
      await world.setClosed(closed.id, false);
      expect(await missing(world)).toEqual([]);
      await world.setClosed(closed.id);
      const silent = await world.ready({ heartbeatMs: 1000 });
      expect(await missing(world)).toEqual([]);
      await world.pass(1000);
      expect((await world.lobby(silent.id))?.isSilent).toBe(true);
      expect(await missing(world)).toEqual(wanted);
    });

    test("[W7] what lobby_count_max leaves is shared between the pairs", async () => {
      const idle = [
        { gameMode: "duel", region: "local", min: 3 },
        { gameMode: "royale", region: "far", min: 3 },
      ];
      const world = await createWorld(factory, { idle, lobbyCountMax: 4 });
      expect(await missing(world)).toEqual([
        { gameMode: "duel", region: "local", missing: 3 },
        { gameMode: "royale", region: "far", missing: 1 },
      ]);
    });

    test("[W7] no more are missing than lobby_count_max allows, and the limit holds for warm lobbies", async () => {
      const world = await createWorld(factory, { lobbyCountMax: 2, idle: idle(5) });
      expect(await missing(world)).toEqual([{ gameMode: "duel", region: "local", missing: 2 }]);
      await world.create("warm");
      await world.create("warm");
      expect(await missing(world)).toEqual([]);
      expect(await world.create("warm")).toEqual(refusal("TOO_MANY_LOBBIES"));
    });

    test("[W8] another minimum or version is in force at once", async () => {
      const world = await createWorld(factory, { idle: idle(2) });
      const kept = [await world.ready({ emptyMs: 1000 }), await world.ready({ emptyMs: 1000 })];
      await world.pass(50_000);
      await world.configure({ idle: idle(1) });
      expect(await world.statusOf(kept[0]!.id)).toBe("ready");
      expect(await world.statusOf(kept[1]!.id)).toBe("stopped: empty");
      await world.configure({ versionId: versionB, idle: idle(3) });
      expect(await world.statusOf(kept[0]!.id)).toBe("stopped: outdated");
      expect(await missing(world)).toEqual([{ gameMode: "duel", region: "local", missing: 3 }]);
    });
  });
}
