import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EngineUnavailable } from "../../src/engine/engine.ts";
import { createMemoryJournal } from "../../src/engine/memory/journal.ts";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import type { RedisLink } from "../../src/engine/redis/link.ts";
import { createRedisEngine } from "../../src/engine/redis/redis.ts";
import * as scripts from "../../src/engine/redis/scripts.ts";
import type { CommandType } from "../../src/matchmaker/commands.ts";
import { type RedisServer, startRedis } from "../services/redis.ts";
import { compareEngines } from "./differential.ts";
import { createHistory, steps } from "./random-commands.ts";
import { closeAfterEach, openEngine } from "./redis-engine.ts";
import { createWorld, refusal, seated, World } from "./world.ts";

closeAfterEach();

/** A server of its own: these tests look at everything that happens on it. */
let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Every key that there is with what is in it. */
async function everything(): Promise<Map<string, string>> {
  const keys = (await redis.keys("*")).sort();
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return new Map(keys.map((key, at) => [key, values[at]?.toString("base64") ?? ""]));
}

const allScripts = [
  ...Object.values(scripts.commandScripts),
  ...Object.values(scripts.queryScripts),
  scripts.nextDueScript,
  scripts.eventsAfterScript,
  scripts.dumpScript,
];

describe("scripts", () => {
  test("[RD3] every key that any script touches carries its namespace's tag", { timeout: 120_000 }, async () => {
    await redis.flushall();
    const { engine, link } = await openEngine(server.url);
    const memory = await createMemoryEngine(createMemoryJournal());
    const ran = new Set<string>();
    const run = link.run.bind(link);
    Object.assign(link, {
      run(...args: Parameters<RedisLink["run"]>) {
        ran.add(args[0].name);
        return run(...args);
      },
    });
    const monitor = await new Redis(server.url).monitor();
    const calls = new Map<string, string[]>();
    monitor.on("monitor", (_time: string, args: string[], source: string) => {
      // A call of one shape has its keys at the same places.
      if (source === "lua") calls.set(JSON.stringify(args), args);
    });
    await compareEngines(memory, engine, 31, 600);
    await engine.read({ type: "namespaces" });
    await memory.close();
    await redis.ping("the end");
    monitor.disconnect();

    expect(allScripts.map(({ name }) => name).filter((name) => !ran.has(name))).toEqual([]);
    const keyless = new Set(["TIME", "PUBLISH"]);
    const touched = new Set<string>();
    for (const args of calls.values()) {
      if (keyless.has(args[0]!.toUpperCase())) continue;
      for (const key of (await redis.command("GETKEYS", args[0]!, ...args.slice(1))) as string[]) touched.add(key);
    }
    expect(touched.size).toBeGreaterThan(500);
    expect([...touched].filter((key) => !/^test-[0-9a-f-]+:\{history-\d+\}:/.test(key))).toEqual([]);
  });

  test("[RD4] [I25] every command sent twice with one operation id is answered alike and has the effect of one", {
    timeout: 120_000,
  }, async () => {
    await redis.flushall();
    const { link, prefix } = await openEngine(server.url);
    const types = new Set<string>();
    const twice: RedisLink = {
      ...link,
      async run(script, key, args) {
        const first = await link.run(script, key, args);
        const isCommand = Object.values(scripts.commandScripts).includes(script);
        if (!isCommand) return first;
        const [, before] = first as [string, unknown[]];
        const effect = await everything();
        const [, after] = (await link.run(script, key, args)) as [string, unknown[]];
        // A refusal and what changes nothing are decided anew; what an explanation was made from is not kept.
        expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
        const again = await everything();
        // When someone last looked after the namespace is no effect.
        if (script.name === "expire") for (const dump of [effect, again]) dump.delete(key);
        expect(again).toEqual(effect);
        types.add(script.name);
        return first;
      },
    };
    const engine = await createRedisEngine({ link: twice, prefix, newOpId: randomUUID, wallClock: Date.now });
    const memory = await createMemoryEngine(createMemoryJournal());
    await compareEngines(memory, engine, 5, 600);
    await engine.close();
    expect([...types].sort()).toEqual(
      Object.values(scripts.commandScripts)
        .map(({ name }) => name)
        .sort(),
    );
  });

  test("[RD4] [I25] a script that refuses has written nothing", { timeout: 120_000 }, async () => {
    await redis.flushall();
    const { engine } = await openEngine(server.url);
    const refusals = new Set<string>();
    for (const [number, history] of fc.sample(steps(150), { seed: 77, numRuns: 6 }).entries()) {
      const namespaceId = `refusing-${number}`;
      const { commandOf, note } = createHistory(namespaceId);
      for (const step of history) {
        const command = commandOf(step);
        // What is due and the time itself are no matter of the rule.
        await engine.execute({ type: "expire", namespaceId, now: command.now });
        const before = await everything();
        const outcome = await engine.execute<CommandType>(command);
        note(outcome);
        if (outcome.ok) continue;
        expect(await everything(), JSON.stringify(command)).toEqual(before);
        refusals.add(`${command.type} ${outcome.code}`);
      }
    }
    expect(refusals.size).toBeGreaterThan(15);
  });

  test("[RD5] a command that lay around for ten seconds is not decided any more", async () => {
    const { link, prefix } = await openEngine(server.url);
    let delayMs = 0;
    const wallClock = () => Date.now() - delayMs;
    const engine = await createRedisEngine({ link, prefix, newOpId: randomUUID, wallClock });
    const under = { engine, check: (id: string) => engine.audit(id), restart: async () => under };
    const world = await createWorld(async () => under);
    delayMs = 10_100;
    const before = await everything();
    await expect(world.find()).rejects.toThrow(EngineUnavailable);
    expect(await everything()).toEqual(before);
    delayMs = 9_000;
    expect((await world.find()).ok).toBe(true);
  });

  test("[RD6] very much that is due at once is done in several runs, with the same result", {
    timeout: 60_000,
  }, async () => {
    const { engine, link } = await openEngine(server.url);
    const memory = await createMemoryEngine(createMemoryJournal());
    const worlds = [
      new World({ engine, check: (id) => engine.audit(id), restart: failing }, "many", { next: 0 }),
      new World({ engine: memory, check: () => [], restart: failing }, "many", { next: 0 }),
    ];
    for (const world of worlds) {
      world.isAudited = false;
      await world.configure({ lobbyCountMax: 10_000 });
      for (let i = 0; i < 700; i++) await world.ready({ maxPlayers: 4, party: 2, reservationMs: 1000 + i });
    }
    let runs = 0;
    const run = link.run.bind(link);
    Object.assign(link, {
      run(...args: Parameters<RedisLink["run"]>) {
        runs += 1;
        return run(...args);
      },
    });
    const [found, wanted] = [];
    const shown = [];
    for (const world of worlds) {
      world.now += 31_500;
      shown.push([await world.route(), await world.counts(), (await world.pass(0)) as object]);
    }
    expect(shown[0]).toEqual(shown[1]);
    expect(runs).toBeGreaterThan(4);
    expect(await engine.audit("many")).toEqual([]);
    await memory.close();
    void [found, wanted];
  });
});

async function failing(): Promise<never> {
  throw new Error("This one is not restarted.");
}

void [refusal, seated];
