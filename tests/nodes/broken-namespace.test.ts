import { expect, inject, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createExpire } from "../../src/loops/expire.ts";
import { createKeepIdle } from "../../src/loops/keep-idle.ts";
import { onlyNode } from "../../src/nodes/nodes.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { duel, World } from "../support/world.ts";

closeAfterEach();

/** More than commands are sent at once. */
const othersCount = 40;

const withLease = {
  ...onlyNode("alone", () => ({
    version: null,
    startedAt: null,
    regions: null,
    room: 0,
    places: 0,
    held: new Map(),
    asked: [],
  })),
  lease: () => ({ fence: 7 }),
};

/** Namespaces that come after a broken one, each with a lobby that is not ready in time. */
async function open(others: number) {
  const url = inject("redisUrl");
  const one = await openEngine(url);
  const ids = { next: 0 };
  const names = ["a-broken", ...Array.from({ length: others }, (_, at) => `b-${at}`)];
  const worlds = names.map((name) => new World(underTest(one, url), name, ids));
  const lobbyIds: string[] = [];
  for (const world of worlds) {
    world.isAudited = false;
    await world.configure({ idle: [{ ...duel, min: 1 }] });
    lobbyIds.push((await world.starting({ readyMs: 1_000 })).id);
  }
  const [broken] = worlds as [World];
  const key = (name: string) => `${one.prefix}:{${broken.namespaceId}}:${name}`;
  /** Redis refuses to read the key as what it should be. */
  const breakKey = async (name: string) => {
    await one.link.call("DEL", key(name));
    await one.link.call("SET", key(name), ["broken"]);
  };
  return {
    ...one,
    worlds,
    broken,
    breakTimers: () => breakKey("timers"),
    breakMinimums: () => breakKey("min"),
    /** A timer of the lobby is due, and the rule cannot read the lobby. */
    breakLobby: async () => {
      await one.link.call("ZADD", key("timers"), ["0", `0${lobbyIds[0]}`]);
      await breakKey(`l:${lobbyIds[0]}`);
    },
  };
}

/** Where something is due by then; to ask for it lets nothing happen. */
async function dueBy(engine: Engine, at: number): Promise<string[]> {
  const namespaces = await engine.read({ type: "namespaces" });
  return namespaces.flatMap(({ namespaceId, nextDueAt }) =>
    nextDueAt !== null && nextDueAt <= at ? [namespaceId] : [],
  );
}

const ways = [
  ["the rule throws", "breakLobby"],
  ["what is due is unreadable", "breakTimers"],
] as const;

test.each(ways)("[GP2] a namespace in which %s keeps no other from being brought up to date", async (_, way) => {
  const { engine, worlds, broken, ...opened } = await open(othersCount);
  const at = broken.now + 1_000;
  expect(await dueBy(engine, at)).toHaveLength(worlds.length);
  await opened[way]();
  const expire = createExpire(engine, withLease, () => at);
  await expect(expire()).rejects.toThrow("a script failed");
  expect(await dueBy(engine, at)).toEqual([broken.namespaceId]);
});

test("[GP2] a namespace in which the rule throws keeps no other from its lobbies ahead of need", async () => {
  const { engine, worlds, broken, breakMinimums } = await open(2);
  await breakMinimums();
  const planned: string[] = [];
  const keepIdle = createKeepIdle(
    engine,
    () => broken.now,
    async (namespaceId) => {
      planned.push(namespaceId);
      return null;
    },
    async () => true,
  );
  for (const world of worlds.slice(1)) await world.configure({ idle: [{ ...duel, min: 2 }] });
  await expect(keepIdle()).rejects.toThrow("a script failed");
  expect(planned).toEqual(["b-0", "b-1"]);
});
