import type { Cluster, Redis } from "ioredis";
import type { Logger } from "../ground/log.ts";
import { type RedisAddress, showRedisAddress } from "./address.ts";
import { isLoginFault } from "./errors.ts";

/** Redis could not be reached at the start, or refused the login. */
class RedisUnreachable extends Error {
  override readonly name = "RedisUnreachable";
}

/** Knows whether there is a connection, says so in the log when that changes, and never lets the client give up. */
export interface Watch {
  /** How long there has been no connection. */
  downForMs(now: number): number;
  /** Waits for a connection; rejects with the last fault when there is none in time. */
  ready(giveUpAt: number): Promise<void>;
  /** Leaves the server for a new connection, once, however many commands ask for it. */
  leave(): void;
  /** The first connection; rejects with RedisUnreachable. */
  start(patienceMs: number): Promise<void>;
  close(): void;
}

export function watchClient(client: Redis | Cluster, address: RedisAddress, log: Logger): Watch {
  const where = showRedisAddress(address);
  let downSince: number | null = performance.now();
  let lastFault: Error | null = null;
  let isStarted = false;
  let isLeaving = false;
  let isClosed = false;
  const waiting = new Set<{ resolve(): void; reject(error: Error): void }>();

  client.on("ready", () => {
    if (isStarted && downSince !== null) log.info(`Redis (${where}) is reachable again`);
    downSince = null;
    lastFault = null;
    isLeaving = false;
    for (const waiter of waiting) waiter.resolve();
    waiting.clear();
  });
  client.on("error", (error: Error) => {
    lastFault = error;
    if (!isStarted && isLoginFault(error)) for (const waiter of waiting) waiter.reject(error);
  });
  client.on("node error", (error: Error) => {
    lastFault = error;
  });
  client.on("close", noteDown);
  // The library ends for good when it is told to reconnect at the wrong moment.
  client.on("end", () => {
    noteDown();
    if (isStarted && !isClosed) setTimeout(() => !isClosed && begin(), 100).unref();
  });

  function noteDown(): void {
    if (downSince !== null || isClosed) return;
    downSince = performance.now();
    log.warn({ err: lastFault }, `the connection to Redis (${where}) is lost`);
  }

  function begin(): void {
    if (client.status === "wait" || client.status === "end") client.connect().catch(noteFault);
  }

  function noteFault(error: Error): void {
    lastFault ??= error;
  }

  function ready(giveUpAt: number): Promise<void> {
    if (client.status === "ready") return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
      const waiter = {
        resolve: () => {
          settle();
          resolve();
        },
        reject: (error: Error) => {
          settle();
          reject(error);
        },
      };
      const give = () => waiter.reject(lastFault ?? new Error("There is no connection to Redis."));
      const timer = setTimeout(give, Math.max(0, giveUpAt - performance.now()));
      waiting.add(waiter);
    });
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
      for (const waiter of waiting) waiter.reject(new Error("The connection to Redis is closed."));
    },
  };
}

function inWords(error: Error, where: string): string {
  if (/^WRONGPASS/.test(error.message))
    return `Redis (${where}) refuses the password in FOYER_REDIS_URL: write redis://:password@host, with special characters percent-encoded.`;
  if (/^NOAUTH/.test(error.message))
    return `Redis (${where}) wants a password: write it into FOYER_REDIS_URL, as in redis://:password@host.`;
  if (/^NOPERM/.test(error.message))
    return `The user in FOYER_REDIS_URL may not use Redis (${where}) as Foyer needs it: ${error.message}`;
  const reason = "code" in error && typeof error.code === "string" ? error.code : error.message;
  return `Redis (${where}) cannot be reached: ${reason}. Start it, or check FOYER_REDIS_URL.`;
}
