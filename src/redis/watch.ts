import type { Cluster, Redis } from "ioredis";
import type { Logger } from "../ground/log.ts";
import { type RedisAddress, showRedisAddress } from "./address.ts";
import { isLoginError, TimeIsOver } from "./errors.ts";

/** Redis could not be reached at the start, or refused the login. */
class RedisUnreachable extends Error {
  override readonly name = "RedisUnreachable";
}

/** Tracks whether there is a connection, logs changes, and keeps the client reconnecting. */
export interface Watch {
  /** How long there has been no connection. */
  downForMs(now: number): number;
  /** Waits for a connection; rejects with the last error if there is none in time. */
  ready(giveUpAt: number): Promise<void>;
  /** Reconnects once, however many commands request it. */
  leave(): void;
  /** The first connection; rejects with RedisUnreachable. */
  start(patienceMs: number): Promise<void>;
  close(): void;
}

export function watchClient(client: Redis | Cluster, address: RedisAddress, log: Logger): Watch {
  const where = showRedisAddress(address);
  const waiters = createWaiters();
  let downSince: number | null = performance.now();
  let lastError: Error | null = null;
  let isStarted = false;
  let isLeaving = false;
  let isClosed = false;

  client.on("ready", () => {
    if (isStarted && downSince !== null) log.info(`Redis (${where}) is reachable again`);
    downSince = null;
    lastError = null;
    isLeaving = false;
    waiters.resolveAll();
  });
  client.on("error", (error: Error) => {
    lastError = error;
    if (!isStarted && isLoginError(error)) waiters.rejectAll(error);
  });
  client.on("node error", (error: Error) => {
    lastError = error;
  });
  client.on("close", noteDown);
  // The library ends permanently if it is asked to reconnect at the wrong moment.
  client.on("end", () => {
    noteDown();
    if (isStarted && !isClosed) setTimeout(() => !isClosed && begin(), 100).unref();
  });

  function noteDown(): void {
    if (downSince !== null || isClosed) return;
    downSince = performance.now();
    log.warn({ err: lastError }, `the connection to Redis (${where}) is lost`);
  }

  function begin(): void {
    if (client.status !== "wait" && client.status !== "end") return;
    client.connect().catch((error: Error) => {
      lastError ??= error;
    });
  }

  function ready(giveUpAt: number): Promise<void> {
    if (client.status === "ready") return Promise.resolve();
    return waiters.wait(giveUpAt, () => lastError ?? new TimeIsOver("No connection to Redis."));
  }

  return {
    downForMs: (now) => (downSince === null ? 0 : now - downSince),
    ready,
    leave() {
      if (isLeaving || client.status !== "ready") return;
      isLeaving = true;
      client.disconnect(true);
    },
    async start(patienceMs) {
      const connected = ready(performance.now() + patienceMs);
      begin();
      try {
        await connected;
        isStarted = true;
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        throw new RedisUnreachable(inWords(cause, where), { cause });
      }
    },
    close() {
      isClosed = true;
      waiters.rejectAll(new Error("The connection to Redis is closed."));
    },
  };
}

interface Waiters {
  /** Settles with the others, or rejects at `giveUpAt` with the result of `giveUp`. */
  wait(giveUpAt: number, giveUp: () => Error): Promise<void>;
  resolveAll(): void;
  rejectAll(error: Error): void;
}

/** Callers that wait for a connection. */
function createWaiters(): Waiters {
  const waiting = new Set<{ resolve(): void; reject(error: Error): void }>();
  return {
    wait(giveUpAt, giveUp) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => waiter.reject(giveUp()), Math.max(0, giveUpAt - performance.now()));
        const settle = () => {
          clearTimeout(timer);
          waiting.delete(waiter);
        };
        const waiter = {
          resolve() {
            settle();
            resolve();
          },
          reject(error: Error) {
            settle();
            reject(error);
          },
        };
        waiting.add(waiter);
      });
    },
    resolveAll() {
      for (const waiter of waiting) waiter.resolve();
    },
    rejectAll(error) {
      for (const waiter of waiting) waiter.reject(error);
    },
  };
}

function inWords(error: Error, where: string): string {
  if (/^WRONGPASS/.test(error.message))
    return `Redis (${where}) rejects the password in FOYER_REDIS_URL: write redis://:password@host, with special characters percent-encoded.`;
  if (/^NOAUTH/.test(error.message))
    return `Redis (${where}) requires a password: add it to FOYER_REDIS_URL, as in redis://:password@host.`;
  if (/^NOPERM/.test(error.message))
    return `The user in FOYER_REDIS_URL lacks permissions in Redis (${where}) that Foyer needs: ${error.message}`;
  const reason = "code" in error && typeof error.code === "string" ? error.code : error.message;
  return `Redis (${where}) cannot be reached: ${reason}. Start it, or check FOYER_REDIS_URL.`;
}
