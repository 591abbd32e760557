import { describe, expect, test } from "vitest";
import { createWorld, type EngineFactory, refusal, seated, versionA, versionB, type World } from "../support/world.ts";

export function deploysSuite(factory: EngineFactory): void {
  describe("deploys", () => {
    test("[DP1] find looks at lobbies of the deployed version only", async () => {
      const world = await createWorld(factory);
      const old = await world.ready({ maxPlayers: 9, party: 1 });
      await world.configure({ versionId: versionB });
      expect(await world.route()).toBe("NO_AVAILABLE_LOBBIES");
      const found = seated(await world.find({ create: { maxPlayers: 9 } }));
      expect(found.lobby).toMatchObject({ versionId: versionB, isOutdated: false });
      expect(found.lobby.lobbyId).not.toBe(old.id);
    });

    test("[DP2] outdated lobbies that are empty stop at once, starting ones too, the others when their last seat ends", async () => {
      const world = await createWorld(factory, { idle: [{ gameMode: "duel", region: "local", min: 5 }] });
      const empty = await world.ready();
      const warm = await world.starting();
      const played = await world.ready({ maxPlayers: 9, party: 2, reservationMs: 1000 });
      await world.connect(played.id, played.players[0]!);
      const waited = await world.starting({ party: 1 });
      await world.configure({ versionId: versionB });
      expect(await world.statusOf(empty.id)).toBe("stopped: outdated");
      expect(await world.statusOf(warm.id)).toBe("stopped: outdated");
      expect(await world.lobby(waited.id)).toMatchObject({ status: "starting", reserved: 1, isOutdated: true });
      await world.disconnect(played.id, played.players[0]!);
      expect(await world.statusOf(played.id)).toBe("ready");
      await world.pass(1000);
      expect(await world.lobby(played.id)).toMatchObject({ stopReason: "outdated", stoppedAt: world.now });
    });

    test("[DP2] calls that wait in a starting lobby keep it, and it ends when they release their seats", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.starting({ party: 2 });
      await world.configure({ versionId: versionB });
      await world.setReady(id);
      expect(await world.lobby(id)).toMatchObject({ status: "ready", reserved: 2, isOutdated: true });
      await world.release([players[0]!]);
      expect(await world.statusOf(id)).toBe("ready");
      await world.release([players[1]!]);
      expect(await world.statusOf(id)).toBe("stopped: outdated");
    });

    test("[DP3] external lobbies of another version stay, and heartbeats say that they are outdated", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ isExternal: true });
      await world.configure({ versionId: versionB });
      await world.pass(1_000_000);
      expect(await world.heartbeat(id)).toMatchObject({ ok: true, isOutdated: true });
      expect(await world.statusOf(id)).toBe("ready");
    });

    test("[DP4] deploying the old version again makes its living lobbies routable again", async () => {
      const world = await createWorld(factory);
      const played = await world.ready({ maxPlayers: 9, party: 2 });
      const external = await world.ready({ isExternal: true, maxPlayers: 9 });
      await world.configure({ versionId: versionB });
      const newer = seated(await world.find({ create: { maxPlayers: 9 } })).lobby.lobbyId;
      await world.configure({ versionId: versionA });
      expect(await world.route()).toBe(played.id);
      await world.setClosed(played.id);
      expect(await world.route()).toBe(external.id);
      expect(await world.lobby(newer)).toMatchObject({ status: "starting", isOutdated: true, reserved: 1 });
    });

    test("[DP4] a lobby that empties after the rollback has its usual time again", async () => {
      const world = await createWorld(factory);
      const { id, players } = await world.ready({ party: 1, emptyMs: 1000 });
      await world.configure({ versionId: versionB });
      await world.configure({ versionId: versionA });
      await world.disconnect(id, players[0]!);
      await world.pass(999);
      expect(await world.statusOf(id)).toBe("ready");
      await world.pass(1);
      expect(await world.statusOf(id)).toBe("stopped: empty");
    });

    test("[DP7] many empty lobbies of the old version end in steps that no player's call waits for", async () => {
      const world = await createWorld(factory);
      world.isAudited = false;
      const externals = await manyReady(world, 520, { isExternal: true });
      const own = await manyReady(world, 230, { maxPlayers: 9 });
      const livingOf = async () => (await world.counts()).ready + (await world.counts()).starting;
      await world.configure({ versionId: versionB });
      const first = await livingOf();
      expect(first).toBeGreaterThan(externals.length);
      const found = seated(await world.find({ create: { maxPlayers: 9 } }));
      expect(found.lobby).toMatchObject({ versionId: versionB, isOutdated: false });
      expect(await world.route({ party: 1 })).toBe(found.lobby.lobbyId);
      expect(await livingOf()).toBe(first + 1);
      // Whoever has an id may still join one that no step has reached, and keeps it.
      const kept = own.at(-1)!;
      expect((await world.join(kept)).ok).toBe(true);

      expect((await world.retire()).steps).toBe(2);
      await world.restart();
      expect(await world.retire(10)).toMatchObject({ isDone: true });
      world.isAudited = true;
      for (const id of [own[0]!, own[150]!, own[228]!]) expect(await world.statusOf(id)).toBe("stopped: outdated");
      expect(await world.lobby(kept)).toMatchObject({ status: "ready", reserved: 1 });
      expect(await world.lobby(externals[0]!)).toMatchObject({ status: "ready", isOutdated: true });
      expect(await livingOf()).toBe(externals.length + 2);
      expect((await world.counts()).nextDueAt).toBeGreaterThan(world.now);
    });

    test("[DP7] what is deployed again in between keeps its lobbies that no step has reached, with their deadlines", async () => {
      const world = await createWorld(factory);
      world.isAudited = false;
      const own = await manyReady(world, 130, { emptyMs: 1000 });
      await world.configure({ versionId: versionB });
      const last = own.at(-1)!;
      expect(await world.statusOf(last)).toBe("ready");
      await world.configure({ versionId: versionA });
      await world.retire(10);
      world.isAudited = true;
      expect(await world.statusOf(own[0]!)).toBe("stopped: outdated");
      expect(await world.route()).toBe(own[100]);
      const emptied = own.at(-2)!;
      await world.pass(1000);
      expect(await world.statusOf(emptied)).toBe("stopped: empty");
    });

    test("[DP5] a configuration with an older or the same revision changes nothing", async () => {
      const world = await createWorld(factory);
      await world.configure({ lobbyCountMax: 5 });
      const late = (revision: number) =>
        world.execute<"configure">({
          type: "configure",
          revision,
          limits: { lobbyCountMax: 0, maxPlayers: 0, maxPlayersPerClient: 0 },
          deployedVersionId: null,
          idleMinimums: [],
        });
      expect(await late(world.revision - 1)).toEqual({ ok: true, isApplied: false });
      expect(await late(world.revision)).toEqual({ ok: true, isApplied: false });
      expect((await world.find()).ok).toBe(true);
      expect(await late(world.revision + 1)).toEqual({ ok: true, isApplied: true });
    });

    test("[DP6] a command built from another revision is refused and changes nothing", async () => {
      const world = await createWorld(factory);
      const { id } = await world.ready({ maxPlayers: 9 });
      for (const revision of [world.revision - 1, world.revision + 1]) {
        expect(await world.find({ revision })).toEqual(refusal("STALE_REVISION"));
        expect(await world.join(id, { revision })).toEqual(refusal("STALE_REVISION"));
      }
      world.revision += 1;
      expect(await world.create("created")).toEqual(refusal("STALE_REVISION"));
      expect(await world.counts()).toMatchObject({ ready: 1, starting: 0, reserved: 0 });
    });
  });
}

async function manyReady(world: World, count: number, options: Parameters<World["ready"]>[0]): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await world.ready(options)).id);
  return ids;
}
