import { rm } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import { openRedis } from "../../src/redis/connection.ts";
import type { RedisConnection } from "../../src/redis/interface.ts";
import { openServer, type RedisServer, type RedisSetup, startRedis, until } from "../support/services/redis.ts";
import { audit, listeningLog, script, startCounting } from "./redis-counting.ts";

const keys = ["foyer:{one}:ns", "foyer:{two}:ns"];
const echo = script("echo", "#!lua\nreturn ARGV[1]");
const clean = { twice: [], miscounted: [], lost: 0, nobodys: [] };

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function world(setup: RedisSetup = {}): Promise<{ server: RedisServer; link: RedisConnection; lines: string[] }> {
  const server = await startRedis(setup);
  opened.push(() => server.stop());
  const { log, lines } = listeningLog();
  const link = await openRedis({ url: server.url, log });
  opened.push(() => link.close());
  return { server, link, lines };
}

describe("one Redis", () => {
  test("[RF2] an emptied script cache is filled by the call that meets it, under load too", async () => {
    const { server, link } = await world();
    const counting = startCounting(link, keys);
    for (let flush = 0; flush < 20; flush++) {
      await counting.more(100);
      await server.ask("SCRIPT", "FLUSH");
    }
    const counted = await counting.stop();
    expect(counted.givenUp.size).toBe(0);
    expect(await audit(link, keys, counted)).toEqual({ ...clean, afterGivenUp: 0 });
  });

  test("[RF3] killed and restarted under load, with every write synced: nothing acknowledged is lost, nothing happens twice", async () => {
    const { server, link, lines } = await world({ appendfsync: "always" });
    const counting = startCounting(link, keys);
    for (let kill = 0; kill < 5; kill++) {
      await counting.more(300);
      await server.restart();
    }
    await counting.more(300);
    expect(await audit(link, keys, await counting.stop())).toMatchObject(clean);
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test("[RF3] [RF10] while it is away calls are answered that it is not available, and the first one after its return is served", async () => {
    const { server, link, lines } = await world();
    await server.kill();
    await expect(link.run(echo, keys[0]!, ["lost"])).rejects.toThrow(EngineUnavailable);
    await expect(link.call("GET", keys[0]!)).rejects.toThrow("Redis is unavailable: ECONNREFUSED.");
    await server.start();
    expect(await link.run(echo, keys[0]!, ["back"])).toBe("back");
    const said = lines.map((line) => JSON.parse(line).msg.replace(/\(.*\)/, "(where)"));
    expect(said).toEqual(["the connection to Redis (where) is lost", "Redis (where) is reachable again"]);
  });

  test("[RF4] a frozen server holds no call for ever, and what lay in its socket has no late effect", async () => {
    const { server, link } = await world();
    const counting = startCounting(link, keys, { lateAfterMs: 3000 });
    await counting.more(300);
    // Frozen in the middle of something, it could have done what it will not answer any more.
    await counting.pause();
    server.freeze();
    counting.goOn();
    // All actors are answered while it is still frozen; what they sent is older than the limit by then.
    await counting.moreGivenUp(12);
    server.thaw();
    await counting.more(300);
    const counted = await counting.stop();
    expect(await audit(link, keys, counted)).toEqual({ ...clean, afterGivenUp: 0 });
  });

  test("[RF4] a server that was frozen for a moment only is waited for", async () => {
    const { server, link, lines } = await world();
    const counting = startCounting(link, keys);
    await counting.more(100);
    server.freeze();
    const waiting = link.run(echo, keys[0]!, ["patient"]);
    await until("the connection is given up", () => lines.some((line) => line.includes("is lost")));
    server.thaw();
    expect(await waiting).toBe("patient");
    await counting.more(100);
    expect(await audit(link, keys, await counting.stop())).toMatchObject(clean);
  });

  test.each([
    ["OOM", ["maxmemory", "1mb"], ["maxmemory", "0"], "its memory is full"],
    ["NOREPLICAS", ["min-replicas-to-write", "1"], ["min-replicas-to-write", "0"], "too few replicas follow"],
  ])("[RF5] %s is answered at once, has no effect, and passes with its cause", async (_, hurt, heal, words) => {
    const { server, link, lines } = await world();
    const counting = startCounting(link, keys);
    await counting.more(200);
    await server.ask("CONFIG", "SET", ...hurt);
    await counting.moreGivenUp(50);
    await expect(link.run(echo, keys[0]!, ["no"])).rejects.toThrow(`Redis is unavailable: ${words}`);
    await server.ask("CONFIG", "SET", ...heal);
    await counting.more(200);
    const counted = await counting.stop();
    expect(await audit(link, keys, counted)).toEqual({ ...clean, afterGivenUp: 0 });
    expect(lines).toEqual([]);
  });

  test("[RF5] MISCONF, a disk that takes no snapshot, is answered at once", async () => {
    const server = await openServer("redis-server", ["--appendonly", "no", "--save", "3600 1"]);
    await server.start();
    opened.push(() => server.stop());
    const link = await openRedis({ url: server.url, log: listeningLog().log });
    opened.push(() => link.close());
    await rm(server.directory, { recursive: true });
    await server.ask("BGSAVE");
    await until("the snapshot has failed", async () => (await server.info("rdb_last_bgsave_status")) === "err");
    await expect(link.run(echo, keys[0]!, ["no"])).rejects.toThrow(
      "Redis is unavailable: it cannot write to its disk.",
    );
  });

  test("[RF6] a primary that became a replica: calls are tried on new connections until there is a primary again", async () => {
    const { server, link, lines } = await world();
    const counting = startCounting(link, keys);
    await counting.more(200);
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    const waiting = link.run(echo, keys[0]!, ["patient"]);
    await until("new connections are tried", () => lines.filter((line) => line.includes("again")).length > 2);
    await server.ask("REPLICAOF", "NO", "ONE");
    expect(await waiting).toBe("patient");
    await counting.more(200);
    expect(await audit(link, keys, await counting.stop())).toMatchObject(clean);
  });

  test("[RF6] a permanent replica is unavailable", async () => {
    const { server, link } = await world();
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    await expect(link.run(echo, keys[0]!, ["no"])).rejects.toThrow("Redis is unavailable: the server is a replica.");
  });

  test("[RF6] a try that the end of its time cuts short does not hide what Redis answered before", async () => {
    const { server } = await world();
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    // After its first answer Redis is frozen, so that no further try ends by itself.
    const measures = { answered: () => {}, failed: () => server.freeze() };
    const link = await openRedis({ url: server.url, log: listeningLog().log, patienceMs: 1_900, measures });
    opened.push(() => link.close());
    await expect(link.run(echo, keys[0]!, ["no"])).rejects.toThrow("Redis is unavailable: the server is a replica.");
    server.thaw();
  });

  test("[RF6] a call that is retried when its connection is closed ends then, and says so", async () => {
    const { server } = await world();
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    let link: RedisConnection | null = null;
    // After its first try.
    const measures = { answered: () => {}, failed: () => void link?.close() };
    link = await openRedis({ url: server.url, log: listeningLog().log, measures });
    await expect(link.run(echo, keys[0]!, ["no"])).rejects.toThrow("The connection to Redis is closed.");
  });

  test("[RF7] a server that is loading its data is waited for", async () => {
    const { server, link } = await world({ appendfsync: "everysec" });
    const counting = startCounting(link, keys);
    await counting.more(500);
    await server.ask("CONFIG", "SET", "appendfsync", "always");
    await counting.more(10);
    await server.kill();
    await server.start(["--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024"]);
    await expect(server.ask("GET", keys[0]!)).rejects.toThrow("LOADING");
    await counting.more(500);
    expect(await audit(link, keys, await counting.stop())).toMatchObject({ ...clean, lost: 0 });
  });

  test("[RF7] calls wait for a server that is busy with a script", async () => {
    const { server, link } = await world({ more: ["--busy-reply-threshold", "50"] });
    const counting = startCounting(link, keys);
    await counting.more(100);
    const endless = server.ask("EVAL", "while true do end", "0").catch((error: Error) => error.message);
    await until("it says BUSY", () =>
      server.ask("GET", "any").then(
        () => false,
        (error: Error) => error.message.startsWith("BUSY"),
      ),
    );
    const waiting = link.run(echo, keys[0]!, ["patient"]);
    await server.ask("SCRIPT", "KILL");
    expect(await endless).toContain("killed");
    expect(await waiting).toBe("patient");
    await counting.more(100);
    expect(await audit(link, keys, await counting.stop())).toMatchObject(clean);
  });

  test("[RF1] a script that fails is not available to its caller and loud in the log", async () => {
    const { link, lines } = await world();
    const broken = script("broken", "#!lua\nlocal nothing\nreturn nothing.field");
    await expect(link.run(broken, keys[0]!, [])).rejects.toThrow(EngineUnavailable);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "error",
        msg: "Redis refused script broken",
        err: { message: expect.stringContaining("attempt to index") },
      },
    ]);
  });

  test("[RF10] a listener receives again after the server's return, and is notified of the gap", async () => {
    const { server, link, lines } = await world();
    const received: string[] = [];
    await link.subscribe(
      "foyer:events",
      (message) => received.push(message),
      () => received.push("gap"),
    );
    await link.call("PUBLISH", "foyer:events", ["one"]);
    await until("it is received", () => received.length === 1);
    await server.restart();
    await until("the gap is reported", () => received.length === 2);
    await link.call("PUBLISH", "foyer:events", ["two"]);
    await until("it is received", () => received.length === 3);
    server.freeze();
    await until(
      "the silence is noticed",
      () => lines.filter((line) => line.includes("the connection for Redis messages")).length === 2,
    );
    server.thaw();
    await until("the gap is reported", () => received.length === 4);
    await link.call("PUBLISH", "foyer:events", ["three"]);
    await until("it is received", () => received.at(-1) === "three");
    expect(received).toEqual(["one", "gap", "two", "gap", "three"]);
  });
});

describe("the first connection", () => {
  const { log } = listeningLog();

  test("[RF12] messages about a missing server and a missing or wrong password show no password", async () => {
    const server = await startRedis({ password: "right" });
    opened.push(() => server.stop());
    const at = `127.0.0.1:${server.port}`;
    await expect(openRedis({ url: `redis://${at}`, log })).rejects.toThrow("requires a password");
    const wrong = openRedis({ url: `redis://:wr0ng@${at}`, log });
    await expect(wrong).rejects.toThrow(`Redis (${at}) rejects the password in FOYER_REDIS_URL`);
    await expect(wrong).rejects.not.toThrow("wr0ng");
    await server.kill();
    const away = openRedis({ url: `redis://:right@${at}`, log, startPatienceMs: 1_500 });
    await expect(away).rejects.toThrow(`Redis (${at}) cannot be reached: ECONNREFUSED.`);
  });

  test("[RF12] a server that comes a little later is waited for", async () => {
    const server = await startRedis({ password: "right" });
    opened.push(() => server.stop());
    await server.kill();
    const opening = openRedis({ url: server.url, log });
    await server.start();
    const link = await opening;
    opened.push(() => link.close());
    expect(await link.run(echo, keys[0]!, ["here"])).toBe("here");
  });
});
