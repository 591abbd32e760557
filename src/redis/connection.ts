import { setTimeout as delay } from "node:timers/promises";
import { Cluster, type Redis } from "ioredis";
import type { Logger } from "../ground/log.ts";
import { EngineUnavailable, RuleFailed } from "../ground/unavailable.ts";
import { parseRedisAddress, type RedisAddress, showRedisAddress } from "./address.ts";
import { createClient, createSubscriberClient, tryMs } from "./clients.ts";
import { classifyError, isNoScript, saysWhy, TimeIsOver } from "./errors.ts";
import type { RedisConnection, RedisPrimary, Script } from "./interface.ts";
import { openSubscriptions } from "./subscriptions.ts";
import { type Watch, watchClient } from "./watch.ts";

export interface RedisConnectionOptions {
  readonly url: string;
  readonly log: Logger;
  /** How long a command may take with all its tries. */
  readonly patienceMs?: number;
  /** How long the first connection may take. */
  readonly startPatienceMs?: number;
  readonly measures?: RedisMeasures;
}

/** Called for every command. */
export interface RedisMeasures {
  /** The command was answered after this time, including all tries. */
  answered(command: string, seconds: number): void;
  /** A try failed. `isRetried`: another try follows; otherwise the command has failed. */
  failed(error: unknown, isRetried: boolean): void;
}

/**
 * Connects to Redis and waits until it answers. A command is retried as long as that may help and its time is not over;
 * then it fails with EngineUnavailable, and whether it took effect is unknown.
 */
export async function openRedis(options: RedisConnectionOptions): Promise<RedisConnection> {
  const { log, startPatienceMs = 10_000 } = options;
  const address = parseRedisAddress(options.url);
  const client = createClient(address);
  const watch = watchClient(client, address, log);
  const giveUp = () => {
    watch.close();
    client.disconnect();
  };
  await watch.start(startPatienceMs).catch((error: unknown) => {
    giveUp();
    throw error;
  });
  if (!client.isCluster && address.kind === "single" && (await isClusterServer(client))) {
    giveUp();
    return openRedis({ ...options, url: asClusterUrl(options.url) });
  }
  return createConnection(client, watch, address, options);
}

const usualPatienceMs = 5_000;
/** Once Redis has been unavailable for longer than any request waits, a request only checks whether it is back. */
const shortPatienceMs = 500;

function createConnection(
  client: Redis | Cluster,
  watch: Watch,
  address: RedisAddress,
  { log, patienceMs = usualPatienceMs, measures }: RedisConnectionOptions,
): RedisConnection {
  let isClosed = false;
  const subscriptions = openSubscriptions((turn) => createSubscriberClient(client, address, turn), patienceMs, log);

  function computeGiveUpAt(startedAt: number): number {
    return startedAt + Math.max(patienceMs - watch.downForMs(startedAt), Math.min(shortPatienceMs, patienceMs));
  }

  async function attempt(what: string, send: () => Promise<unknown>, until?: number): Promise<unknown> {
    const startedAt = performance.now();
    const giveUpAt = until ?? computeGiveUpAt(startedAt);
    let cause: unknown = null;
    for (let tries = 1; ; tries++) {
      try {
        if (isClosed) throw new EngineUnavailable("The connection to Redis is closed.");
        if (client.status !== "ready") await watch.ready(giveUpAt);
        const answer = await inTime(send(), giveUpAt);
        measures?.answered(what, (performance.now() - startedAt) / 1000);
        return answer;
      } catch (error) {
        if (cause === null || saysWhy(error)) cause = error;
        await decide(error, cause, what, tries, giveUpAt);
      }
    }
  }

  /** Resolves when the command is worth another try. `cause`: the last error that said why; the caller gets that one. */
  async function decide(error: unknown, cause: unknown, what: string, tries: number, giveUpAt: number): Promise<void> {
    const info = error instanceof EngineUnavailable ? null : classifyError(error);
    if (info === null) throw error;
    if (info.isAlarming) log.error({ err: error }, `Redis refused ${what}`);
    const pauseMs = Math.min(10 * 2 ** tries, 200);
    const isRetried = info.isPassing && performance.now() + pauseMs < giveUpAt;
    measures?.failed(error, isRetried);
    if (isRetried) {
      // MOVED redirects the pool of a Cluster to the right server, and the pool replaces its connections by itself.
      if (info.isWrongServer && !client.isCluster) watch.leave();
      return delay(pauseMs);
    }
    const Unavailable = info.isOfScript ? RuleFailed : EngineUnavailable;
    const { reason } = classifyError(cause) ?? info;
    throw new Unavailable(`Redis is unavailable: ${reason}.`, { cause });
  }

  const gather = createGatherer(client);

  function evaluate(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    gather();
    return client.evalsha(script.sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!isNoScript(error)) throw error;
      return client.eval(script.text, keys.length, ...keys, ...args);
    });
  }

  return {
    isCluster: client.isCluster,
    kind: client.isCluster ? "cluster" : address.kind,
    run(script, key, args, giveUpAt) {
      const keys = client.isCluster ? withWitnesses(key) : [key];
      return attempt(`script ${script.name}`, () => evaluate(script, keys, args), giveUpAt);
    },
    giveUpAt: () => computeGiveUpAt(performance.now()),
    call: (command, key, args = []) => attempt(command, () => client.call(command, key, ...args)),
    subscribe: subscriptions.subscribe,
    primaries: () => listPrimaries(client, address),
    isConnected: () => client.status === "ready",
    async close() {
      isClosed = true;
      watch.close();
      subscriptions.close();
      client.disconnect();
    },
  };
}

/** Commands of one turn of the event loop are sent in one write: one system call instead of many, on both sides. */
function createGatherer(client: Redis | Cluster): () => void {
  if (client instanceof Cluster) return () => {};
  let isGathering = false;
  return () => {
    const { stream } = client;
    if (isGathering || !stream) return;
    isGathering = true;
    stream.cork();
    setImmediate(() => {
      isGathering = false;
      stream.uncork();
    });
  };
}

/**
 * While a slot is being moved, some of its keys are on each server, and a script would treat those it does not see as
 * missing. Two keys of the same slot that never exist make both servers refuse the script until the move is over.
 */
function withWitnesses(key: string): string[] {
  return /\{[^}]+\}/.test(key) ? [key, `${key}:witness:1`, `${key}:witness:2`] : [key];
}

function listPrimaries(client: Redis | Cluster, address: RedisAddress): RedisPrimary[] {
  if (!(client instanceof Cluster)) return [asPrimary(client, showRedisAddress(address))];
  return client.nodes("master").map((node) => asPrimary(node, `${node.options.host}:${node.options.port}`));
}

function asPrimary(client: Pick<Redis | Cluster, "call">, name: string): RedisPrimary {
  return {
    name,
    ask: (command, ...args) => inTime(client.call(command, ...args), performance.now() + usualPatienceMs),
  };
}

/** Every command runs this, so it uses only one promise. */
function inTime<T>(answer: Promise<T>, giveUpAt: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new TimeIsOver("Redis timed out."));
    const timer = setTimeout(late, Math.max(0, giveUpAt - performance.now()));
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

async function isClusterServer(client: Redis | Cluster): Promise<boolean> {
  const info = await inTime(client.info("cluster"), performance.now() + tryMs);
  return info.includes("cluster_enabled:1");
}

function asClusterUrl(url: string): string {
  return url.replace(/^(rediss?):/i, "$1+cluster:");
}
