import { setTimeout as sleep } from "node:timers/promises";
import { type RedisServer, until } from "../tests/support/services/redis.ts";

/** What Redis itself did during a measurement, for each find. */
export interface RedisWork {
  /** Processor time of the server's process. */
  readonly cpuMicroseconds: number;
  /** By Redis' own count, from the start of a script to its end: no reading, no answering, no syncing. */
  readonly scriptMicroseconds: number;
  /** How many finds ran together in one script. */
  readonly findsPerRun: number;
}

/** Nearly all scripts are finds then: the loops of a node run a few a second. */
export async function meterRedis<T>(
  redis: RedisServer,
  namespaceId: string,
  measure: () => Promise<T>,
): Promise<{ result: T; work: RedisWork }> {
  await redis.ask("CONFIG", "RESETSTAT");
  const seatsBefore = await seatsTaken(redis, namespaceId);
  const cpuBefore = await cpuMicroseconds(redis);
  const result = await measure();
  const cpu = (await cpuMicroseconds(redis)) - cpuBefore;
  const finds = (await seatsTaken(redis, namespaceId)) - seatsBefore;
  const [, calls, microseconds] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await statistics(redis)) ?? [];
  return {
    result,
    work: {
      cpuMicroseconds: cpu / finds,
      scriptMicroseconds: Number(microseconds) / finds,
      findsPerRun: finds / Number(calls),
    },
  };
}

/** Each find takes one. */
async function seatsTaken(redis: RedisServer, namespaceId: string): Promise<number> {
  return Number(await redis.ask("HGET", `foyer:{${namespaceId}}:ns`, "reservedCount"));
}

/** A node that has just started reads every lobby more than once, which is not part of a find. */
export async function untilQuiet(redis: RedisServer): Promise<void> {
  const isQuiet = async () => {
    const before = await cpuMicroseconds(redis);
    await sleep(1000);
    return (await cpuMicroseconds(redis)) - before < quietMicrosecondsPerSecond;
  };
  await until("the nodes leave Redis alone", isQuiet, 120_000);
}

const quietMicrosecondsPerSecond = 50_000;

async function cpuMicroseconds(redis: RedisServer): Promise<number> {
  const seconds = [await redis.info("used_cpu_user"), await redis.info("used_cpu_sys")].map(Number);
  return 1e6 * seconds.reduce((sum, part) => sum + part, 0);
}

async function statistics(redis: RedisServer): Promise<string> {
  return String(await redis.ask("INFO", "commandstats"));
}
