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
  for (const world of worlds) {
    world.isAudited = false;
    await world.configure({ idle: [{ ...duel, min: 1 }] });
    await world.starting({ readyMs: 1_000 });
  }
  const [broken] = worlds as [World];
  return { ...one, worlds, broken, key: (name: string) => `${one.prefix}:{${broken.namespaceId}}:${name}` };
}

/** Where something is due by then; to ask for it lets nothing happen. */
async function dueBy(engine: Engine, at: number): Promise<string[]> {
  const namespaces = await engine.read({ type: "namespaces" });
  return namespaces.flatMap(({ namespaceId, nextDueAt }) =>
    nextDueAt !== null && nextDueAt <= at ? [namespaceId] : [],
  );
}

const ways = [
  ["the rule throws", "ZADD", ["0", "0nobody"]],
  ["what is due is unreadable", "SET", ["broken"]],
] as const;

test.each(ways)(
  "[GP2] a namespace in which %s keeps no other from being brought up to date",
  async (_, command, args) => {
    const { engine, link, worlds, broken, key } = await open(othersCount);
    const at = broken.now + 1_000;
    expect(await dueBy(engine, at)).toHaveLength(worlds.length);
    if (command === "SET") await link.call("DEL", key("timers"));
    await link.call(command, key("timers"), [...args]);
    const expire = createExpire(engine, withLease, () => at);
    await expect(expire()).rejects.toThrow("a script failed");
    expect(await dueBy(engine, at)).toEqual([broken.namespaceId]);
  },
);

test("[GP2] a namespace in which the rule throws keeps no other from its lobbies ahead of need", async () => {
  const { engine, link, worlds, broken, key } = await open(2);
  await link.call("ZADD", key("timers"), ["0", "0nobody"]);
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
