import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { pickLobbies } from "../../src/engine/pick-lobbies.ts";
import * as scripts from "../../src/engine/redis/scripts.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { CommandType } from "../../src/matchmaker/commands.ts";
import type { RedisLink, Script } from "../../src/redis/interface.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { auditNamespace } from "../support/redis-audit.ts";
import { closeAfterEach, openEngine, underTest } from "../support/redis-engine.ts";
import { type RedisServer, startRedis } from "../support/services/redis.ts";
import { createWorld, rememberedMs, versionA, versionB, World } from "../support/world.ts";
import { compareEngines } from "./differential.ts";
import { createHistory, steps } from "./random-commands.ts";

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

/** Every key that there is with what is in it, or every key of a namespace. */
async function everything(namespaceId?: string): Promise<Map<string, string>> {
  const found = await redis.keys(namespaceId === undefined ? "*" : `*:{${namespaceId}}:*`);
  // When nodes could receive is not part of a namespace.
  const keys = found.filter((key) => !key.endsWith(":{hearing}:beat")).sort();
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  // A key that expired since it was listed has no value.
  return new Map(keys.flatMap((key, at) => (values[at] ? [[key, values[at].toString("base64")]] : [])));
}

/** What was answered is kept for 30 seconds, which a slow machine may take between two looks. */
function withoutExpiredAnswers(before: Map<string, string>, after: Map<string, string>): Map<string, string> {
  return new Map([...before].filter(([key]) => !key.includes(":op:") || after.has(key)));
}

const commandScripts: readonly Script[] = Object.values(scripts.commandScripts);
const otherScripts = [scripts.nextDueScript, scripts.eventsAfterScript];
const allScripts: readonly Script[] = [...commandScripts, ...Object.values(scripts.queryScripts), ...otherScripts];

/** A link that tells of each run before it happens. */
const noting = (note: (script: Script) => void) => (link: RedisLink) => ({
  ...link,
  run(...args: Parameters<RedisLink["run"]>) {
    note(args[0]);
    return link.run(...args);
  },
});

const patient = { timeout: 240_000 };

describe("scripts", () => {
  test("[RD3] every key that any script touches carries its namespace's tag", patient, async () => {
    await redis.flushall();
    const ran = new Set<Script>();
    const opened = await openEngine(server.url, { wrap: noting((script) => ran.add(script)) });
    const memory = await createMemoryEngine(createMemoryJournal());
    const watching = new Redis(server.url);
    const monitor = await watching.monitor();
    const calls = new Map<string, string[]>();
    const isOver = new Promise<void>((resolve) => {
      monitor.on("monitor", (_time: string, args: string[], source: string) => {
        if (source === "lua") calls.set(JSON.stringify(args), args);
        if (args[1] === "that was all") resolve();
      });
    });
    await compareEngines(memory, opened, 31, 600);
    await opened.engine.read({ type: "namespaces" });
    await redis.ping("that was all");
    await isOver;
    for (const client of [monitor, watching]) client.disconnect();
    await memory.close();

    expect(allScripts.filter((script) => !ran.has(script)).map(({ name }) => name)).toEqual([]);
    const touched = new Set<string>();
    for (const [name, ...args] of calls.values()) {
      if (["TIME", "PUBLISH"].includes(name!.toUpperCase())) continue;
      // Cast: this is how Redis answers.
      for (const key of (await redis.command("GETKEYS", name!, ...args)) as string[]) touched.add(key);
    }
    expect(touched.size).toBeGreaterThan(500);
    // When nodes can receive concerns all namespaces, and is in the slot of no other key.
    touched.delete([...touched].find((key) => key.endsWith(":{hearing}:beat")) ?? "");
    expect([...touched].filter((key) => !/^test-[0-9a-f-]+:\{history-\d+\}:/.test(key))).toEqual([]);
    expect(allScripts.filter(({ text }) => !text.startsWith("#!lua\n"))).toEqual([]);
  });

  test("[RD4] [I25] a command that is sent again gets the same answer and has one effect", patient, async () => {
    await redis.flushall();
    const ran = new Set<Script>();
    const sendTwice = (link: RedisLink): RedisLink => ({
      ...link,
      async run(script, key, args) {
        const first = await link.run(script, key, args);
        if (!commandScripts.includes(script)) return first;
        const namespaceId = /\{(.*)\}/.exec(key)![1]!;
        const effect = await everything(namespaceId);
        const second = await link.run(script, key, args);
        const again = await everything(namespaceId);
        // When someone last looked after the namespace is no effect.
        if (script.name === "expire") for (const dump of [effect, again]) dump.delete(key);
        expect(again).toEqual(withoutExpiredAnswers(effect, again));
        // What an explanation is made from is not kept.
        const answerOf = (reply: unknown) => (reply as [string, unknown[]])[1].slice(0, 5);
        expect(answerOf(second)).toEqual(answerOf(first));
        ran.add(script);
        return first;
      },
    });
    const opened = await openEngine(server.url, { wrap: sendTwice });
    const memory = await createMemoryEngine(createMemoryJournal());
    await compareEngines(memory, opened, 5, 800);
    await memory.close();
    expect(commandScripts.filter((script) => !ran.has(script)).map(({ name }) => name)).toEqual([]);
  });

  test("[RD4] [I25] a script that refuses has written nothing", patient, async () => {
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
        const after = await everything();
        expect(after, JSON.stringify(command)).toEqual(withoutExpiredAnswers(before, after));
        refusals.add(`${command.type} ${outcome.code}`);
      }
    }
    expect(refusals.size).toBeGreaterThan(15);
  });

  test("[RD4] an id that already exists is an error of the caller, and nothing is written", async () => {
    await redis.flushall();
    const world = await createWorld(async () => underTest(await openEngine(server.url), server.url));
    const { id, players } = await world.ready({ maxPlayers: 9, party: 1 });
    const before = await everything();
    await expect(world.find({ playerIds: players })).rejects.toThrow("exists already");
    await expect(world.find({ playerIds: ["twin", "twin"] })).rejects.toThrow("a different id for each player");
    await expect(world.create("created", { lobbyId: id })).rejects.toThrow("exists already");
    expect(await everything()).toEqual(before);
  });

  test("[RD5] a command from a clock that is ten seconds behind is not decided", async () => {
    await redis.flushall();
    let delayMs = 0;
    const one = await openEngine(server.url, { wallClock: () => Date.now() - delayMs });
    const world = await createWorld(async () => underTest(one, server.url));
    const before = await everything();
    delayMs = 10_500;
    await expect(world.find()).rejects.toThrow(EngineUnavailable);
    expect(await everything()).toEqual(before);
    delayMs = 5_000;
    expect((await world.find()).ok).toBe(true);
  });

  test("[RD6] very much that is due at once is done in several runs, with the same result", patient, async () => {
    let runs = 0;
    const one = await openEngine(server.url, { wrap: noting(() => runs++) });
    const memory = await createMemoryEngine(createMemoryJournal());
    const inMemory = { engine: memory, check: () => [], restart: () => Promise.reject(new Error("Not this one.")) };
    const shown: unknown[][] = [];
    for (const under of [underTest(one, server.url), inMemory]) {
      const world = new World(under, "many", { next: 0 });
      world.isAudited = false;
      await world.configure({ lobbyCountMax: 10_000 });
      for (let i = 0; i < 700; i++) await world.ready({ maxPlayers: 4, party: 2, reservationMs: 1000 + i });
      world.now += 31_500;
      const before = runs;
      shown.push([await world.route(), await world.counts(), await world.pass(0)]);
      if (under !== inMemory) expect(runs - before).toBeGreaterThan(3 + 1400 / 500);
      await world.configure({ versionId: versionB });
      const isOutdated = { type: "listAllLobbies", includeStopped: true, after: null, limit: 10 } as const;
      shown.at(-1)!.push(await world.read<"listAllLobbies">(isOutdated), await world.counts());
      await world.configure({ versionId: versionA });
      for (let i = 0; i < 700; i++) await world.ready({ party: 1, heartbeatMs: 1000, isExternal: true });
      world.now += 60_000;
      shown.at(-1)!.push(await world.execute<"restarted">({ type: "restarted" }), await world.counts());
      await world.configure({ versionId: versionB });
      shown.at(-1)!.push(await world.counts(), await world.read<"listAllLobbies">(isOutdated));
      world.now += rememberedMs - 1;
      const removal = await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
      shown.at(-1)!.push(removal, await world.counts());
    }
    expect(shown[0]).toEqual(shown[1]);
    expect(await auditNamespace(one.link, one.prefix, "many")).toEqual([]);
    await memory.close();
  });

  test("[RD7] [H10] after a time in which no node could receive heartbeats, their clocks start again, but not when a second node starts", async () => {
    await redis.flushall();
    const one = await openEngine(server.url, { hasGaps: true });
    const world = await createWorld(async () => underTest(one, server.url));
    const { id } = await world.ready({ heartbeatMs: 1000, isExternal: true });
    await world.pass(999);
    const starting = await openEngine(server.url, { prefix: one.prefix, isHearing: false, hasGaps: true });
    await starting.engine.startHearing();
    const beside = new World(underTest(starting, server.url), world.namespaceId, { next: 1000 });
    beside.now = world.now + 1;
    expect(await beside.lobby(id)).toMatchObject({ isSilent: true, silentSince: world.now + 1 });
    await world.heartbeat(id);

    // No node has reported for an hour that it could receive.
    for (const { engine } of [one, starting]) await engine.close();
    const key = `${one.prefix}:{hearing}:beat`;
    await redis.hset(key, "at", Number(await redis.hget(key, "at")) - 3_600_000);
    const back = await openEngine(server.url, { prefix: one.prefix, isHearing: false, hasGaps: true });
    const later = new World(underTest(back, server.url), world.namespaceId, { next: 2000 });
    later.now = world.now + 3_600_000;
    expect(await later.lobby(id)).toMatchObject({ isSilent: false });
    await back.engine.startHearing();
    expect(await later.lobby(id)).toMatchObject({ isSilent: false });
    await later.pass(1000);
    expect(await later.lobby(id)).toMatchObject({ isSilent: true });
  });

  test("[RD12] a command whose sender has old information about heartbeat reception is sent back first", async () => {
    await redis.flushall();
    const received: string[] = [];
    const withOldInformation = (link: RedisLink): RedisLink => ({
      ...link,
      run(script, key, args, giveUpAt) {
        if (script === scripts.hearingScript) return link.run(script, key, args, giveUpAt);
        // The first time it sends what it learned an hour ago.
        const old = String(Number(args[8]) - (received.length === 0 ? 3_600_000 : 0));
        if (script === scripts.queryScripts.counts) received.push(old);
        const isCounts = script === scripts.queryScripts.counts;
        return link.run(script, key, isCounts ? [...args.slice(0, 8), old, ...args.slice(9)] : args, giveUpAt);
      },
    });
    const one = await openEngine(server.url, { wrap: withOldInformation });
    const counts = await one.engine.read({ type: "counts", namespaceId: "any", now: 1 });
    expect(counts).toMatchObject({ revision: null });
    expect(received).toHaveLength(2);
  });

  test("[RD7] after commands that could not reach Redis, heartbeat clocks start again before anything else happens", async () => {
    let isAway = false;
    const wrap = (link: RedisLink): RedisLink => ({
      ...link,
      run: async (script, key, args) => {
        if (isAway) throw new EngineUnavailable("Redis is away.");
        return link.run(script, key, args);
      },
    });
    const one = await openEngine(server.url, { wrap });
    const world = await createWorld(async () => underTest(one, server.url));
    const { id, players } = await world.ready({ party: 1, heartbeatMs: 1000, isExternal: true });
    await world.connect(id, players[0]!);
    isAway = true;
    await expect(world.heartbeat(id)).rejects.toThrow("Redis is away");
    world.now += 13_000;
    isAway = false;
    const [lobby] = await Promise.all([world.lobby(id), world.find(), world.counts()]);
    expect(lobby).toMatchObject({ status: "ready", isSilent: false, connected: 1 });
    await world.pass(1000);
    expect(await world.lobby(id)).toMatchObject({ isSilent: true });
  });

  test("[RD7] a node that could not even list namespaces starts their heartbeat clocks again", async () => {
    let isAway = false;
    const away = async () => {
      throw new EngineUnavailable("Redis is away.");
    };
    const wrap = (link: RedisLink): RedisLink => ({
      ...link,
      run: (script, key, args) => (isAway ? away() : link.run(script, key, args)),
      call: (command, key, args) => (isAway ? away() : link.call(command, key, args)),
    });
    const one = await openEngine(server.url, { wrap });
    const world = await createWorld(async () => underTest(one, server.url));
    const { id } = await world.ready({ heartbeatMs: 1000, isExternal: true });
    await world.pass(0);
    isAway = true;
    await expect(one.engine.read({ type: "namespaces" })).rejects.toThrow("Redis is away");
    isAway = false;
    world.now += 12_000;
    await one.engine.read({ type: "namespaces" });
    expect(await world.lobby(id)).toMatchObject({ status: "ready", isSilent: false });
  });

  test(
    "[RD13] a node that starts beside another runs few scripts and writes nothing, however many lobbies there are",
    patient,
    async () => {
      await redis.flushall();
      const one = await openEngine(server.url);
      const world = await createWorld(async () => underTest(one, server.url), { lobbyCountMax: 5000 });
      world.isAudited = false;
      for (let i = 0; i < 1200; i++) await world.ready({ heartbeatMs: 60_000, isExternal: true });
      const own = await world.starting();
      await world.execute({ type: "placeLobby", lobbyId: own.id, nodeId: "mine" });
      const other = await world.starting();
      await world.execute({ type: "placeLobby", lobbyId: other.id, nodeId: "theirs" });
      await world.pass(0);
      const before = await everything();
      const ran: string[] = [];
      const wrap = noting(({ name }) => ran.push(name));
      const starting = await openEngine(server.url, { prefix: one.prefix, isHearing: false, wrap });
      const mine: unknown[] = [];
      const { engine } = starting;
      for await (const lobby of pickLobbies(engine, world.namespaceId, () => world.now, { nodeId: "mine" }))
        mine.push(lobby.lobbyId);
      await engine.startHearing();
      expect(mine).toEqual([own.id]);
      expect(ran.filter((name) => name !== "hearing")).toEqual(["pick-lobbies"]);
      expect(await everything()).toEqual(before);
    },
  );

  test("[RD14] a large namespace is removed in short runs, and accepts nothing in between", patient, async () => {
    await redis.flushall();
    let runs = 0;
    let world: World | null = null;
    const between: unknown[] = [];
    const wrap = (link: RedisLink): RedisLink => ({
      ...link,
      async run(script, key, args, giveUpAt) {
        const answer = await link.run(script, key, args, giveUpAt);
        if (script !== scripts.commandScripts.removeNamespace) return answer;
        runs += 1;
        if (runs < 4)
          between.push(await world!.find(), await world!.create("created"), (await world!.counts()).revision);
        return answer;
      },
    });
    const one = await openEngine(server.url, { wrap });
    world = await createWorld(async () => underTest(one, server.url), { lobbyCountMax: 5000 });
    world.isAudited = false;
    for (let i = 0; i < 300; i++) await world.ready({ party: i % 3 });
    await world.ready({ maxPlayers: 90, party: 90 });
    expect(await world.execute({ type: "removeNamespace", force: true })).toEqual({ ok: true });
    expect(runs).toBeGreaterThan(300 / 30);
    const stale = { ok: false, code: "STALE_REVISION" };
    expect(between).toEqual([1, 2, 3].flatMap(() => [stale, stale, null]));
    expect(await world.counts()).toMatchObject({ starting: 0, ready: 0, reserved: 0 });
    const left = (await redis.keys(`*{${world.namespaceId}}*`)).filter((key) => !key.includes(":op:"));
    expect(left.map((key) => key.split("}:")[1]).sort()).toEqual(["events", "ns"]);
    expect(await auditNamespace(one.link, one.prefix, world.namespaceId)).toEqual([]);
  });

  test("[RD8] a removed namespace leaves nothing behind except, for a while, its events", async () => {
    await redis.flushall();
    const one = await openEngine(server.url);
    const world = await createWorld(async () => underTest(one, server.url), { maxPlayersPerClient: 9 });
    const idle = [{ gameMode: "duel", region: "local", min: 1 }];
    await world.configure({ idle });
    const { id, players } = await world.ready({ tags: { map: "ice", mood: "calm" }, party: 2, heartbeatMs: 1000 });
    await world.connect(id, players[0]!);
    await world.find({ key: "k" });
    await world.create("created", { isPrivate: true });
    await world.setClosed(id);
    await world.execute<"setState">({ type: "setState", lobbyId: id, state: "1" });
    await world.execute<"removeNamespace">({ type: "removeNamespace", force: true });
    await world.pass(rememberedMs);
    expect(await one.engine.read({ type: "namespaces" })).toEqual([]);
    const left = (await redis.keys("*")).filter((key) => !/:op:|:\{hearing\}:/.test(key));
    expect(left).toEqual([`${one.prefix}:{${world.namespaceId}}:events`]);
    const lives = await Promise.all((await redis.keys("*{*-*}:*")).map((key) => redis.pttl(key)));
    expect(lives.every((ms) => ms > 0 && ms <= rememberedMs)).toBe(true);
    await world.configure();
    expect(await redis.pttl(left[0]!)).toBe(-1);
  });
});
