import type { Logger } from "../ground/log.ts";
import type { RedisConnection, RedisPrimary } from "./interface.ts";

/** The configuration of Redis would break promises. Every issue is listed. */
export class UnsafeRedis extends Error {
  override readonly name = "UnsafeRedis";
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.length === 1 ? issues[0] : ["The configuration of Redis is unsafe:", ...issues].join("\n  - "));
    this.issues = issues;
  }
}

/** The allowed difference between the clocks of Redis and of this machine. */
const clockOffsetMaxMs = 1_000;

/**
 * Checks every server that accepts writes and refuses an unsafe configuration; the message names the server and what to
 * do. Logs what may be lost when a server dies. `now` is this machine's wall clock.
 */
export async function checkRedis(connection: RedisConnection, now: () => number, log: Logger): Promise<void> {
  const primaries = connection.primaries();
  const issues = (await Promise.all(primaries.map((primary) => findIssues(primary, now)))).flat();
  if (connection.kind === "cluster") issues.push(...(await findClusterIssues(primaries)));
  if (issues.length > 0) throw new UnsafeRedis(issues);
  for (const warning of new Set(await Promise.all(primaries.map(describeLoss))))
    if (warning !== null) log.warn(warning);
}

async function findIssues(primary: RedisPrimary, now: () => number): Promise<string[]> {
  const info = parseInfo(await primary.ask("INFO"));
  const issues: string[] = [];
  const at = `Redis at ${primary.name}`;

  const version = info.get("redis_version") ?? "unknown";
  if (!(Number.parseInt(version, 10) >= 7))
    issues.push(`${at} has version ${version}; Foyer needs 7.0 or later: upgrade it.`);

  const policy = info.get("maxmemory_policy") ?? "unknown";
  if (policy !== "noeviction")
    issues.push(
      `${at} has maxmemory-policy ${policy}, which deletes lobbies and players when memory is short: ` +
        "run `redis-cli CONFIG SET maxmemory-policy noeviction` and set the same in redis.conf.",
    );

  if (info.get("role") === "slave")
    issues.push(
      `${at} is a replica: give FOYER_REDIS_URL the address of the primary ` +
        `(${info.get("master_host")}:${info.get("master_port")}), or use redis+sentinel://.`,
    );

  const offset = await clockOffset(primary, now);
  if (Math.abs(offset) > clockOffsetMaxMs) {
    const seconds = (Math.abs(offset) / 1000).toFixed(1);
    const direction = offset > 0 ? "ahead of" : "behind";
    issues.push(
      `The clock of ${at} is ${seconds} s ${direction} this machine's; at most 1 s is allowed: ` +
        "use the same time servers for both (`timedatectl set-ntp true`).",
    );
  }
  return issues;
}

/** How far Redis' clock is ahead of this one, in milliseconds; with several servers, the clock of the first. */
export async function redisAheadMs(connection: RedisConnection, now: () => number): Promise<number> {
  const [first] = connection.primaries();
  return first === undefined ? 0 : clockOffset(first, now);
}

/** How far the server's clock is ahead, at least: the round-trip time is subtracted. */
async function clockOffset(primary: RedisPrimary, now: () => number): Promise<number> {
  let best = { offset: 0, roundTrip: Infinity };
  for (let sample = 0; sample < 3; sample++) {
    const sentAt = performance.now();
    // The cast is safe: by the protocol, TIME returns seconds and microseconds as two texts.
    const [seconds, micros] = (await primary.ask("TIME")) as [string, string];
    const roundTrip = performance.now() - sentAt;
    const offset = Number(seconds) * 1000 + Number(micros) / 1000 - (now() - roundTrip / 2);
    if (roundTrip < best.roundTrip) best = { offset, roundTrip };
  }
  return Math.sign(best.offset) * Math.max(0, Math.abs(best.offset) - best.roundTrip / 2);
}

async function findClusterIssues(primaries: readonly RedisPrimary[]): Promise<string[]> {
  const [witness] = primaries;
  const state = witness && parseInfo(await witness.ask("CLUSTER", "INFO"));
  if (state?.get("cluster_state") === "ok") return [];
  const served = state?.get("cluster_slots_ok") ?? "0";
  return [
    `The Redis Cluster is not ok: ${served} of 16384 slots are served. ` +
      "Check it with `redis-cli --cluster check`, repair it with `redis-cli --cluster fix`.",
  ];
}

/** A text about what a crash of the server can lose; null: nothing that was answered. */
async function describeLoss(primary: RedisPrimary): Promise<string | null> {
  const info = parseInfo(await primary.ask("INFO", "persistence"));
  if (info.get("aof_enabled") !== "1")
    return (
      `Redis at ${primary.name} has no append-only file: when its process ends, every lobby and player since the last ` +
      "snapshot is lost. Run `redis-cli CONFIG SET appendonly yes` and set the same in redis.conf."
    );
  // If CONFIG is forbidden, this cannot be checked; the guide says what to set.
  const fsync = await primary.ask("CONFIG", "GET", "appendfsync").catch(() => null);
  if (!Array.isArray(fsync) || fsync[1] === "always") return null;
  return (
    `Redis at ${primary.name} has appendfsync ${fsync[1]}: when it or its machine crashes, up to about two seconds of ` +
    "answered calls can be lost. To lose none, run `redis-cli CONFIG SET appendfsync always` and set the same in redis.conf."
  );
}

function parseInfo(info: unknown): Map<string, string> {
  const lines = String(info).split(/\r?\n/);
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}
