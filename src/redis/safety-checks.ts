import type { Logger } from "../ground/log.ts";
import type { RedisConnection, RedisPrimary } from "./interface.ts";

/** Redis is set up in a way in which promises would be broken sooner or later. Every fault is listed. */
export class UnsafeRedis extends Error {
  override readonly name = "UnsafeRedis";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? faults[0] : ["Redis is not set up safely:", ...faults].join("\n  - "));
    this.faults = faults;
  }
}

/** The clocks of Redis and of this machine may be so far apart. */
const clockOffsetMaxMs = 1_000;

/**
 * Looks at every server that takes writes and refuses what is unsafe, by name and with the way out. What may be lost when
 * a server dies is said in the log. `now` is this machine's wall clock.
 */
export async function checkRedis(connection: RedisConnection, now: () => number, log: Logger): Promise<void> {
  const primaries = connection.primaries();
  const faults = (await Promise.all(primaries.map((primary) => faultsOf(primary, now)))).flat();
  if (connection.kind === "cluster") faults.push(...(await clusterFaults(primaries)));
  if (faults.length > 0) throw new UnsafeRedis(faults);
  for (const warning of new Set(await Promise.all(primaries.map(lossOf)))) if (warning !== null) log.warn(warning);
}

async function faultsOf(primary: RedisPrimary, now: () => number): Promise<string[]> {
  const info = fieldsOf(await primary.ask("INFO"));
  const faults: string[] = [];
  const at = `Redis at ${primary.name}`;

  const version = info.get("redis_version") ?? "unknown";
  if (!(Number.parseInt(version, 10) >= 7))
    faults.push(`${at} has version ${version}; Foyer needs 7.0 or later: upgrade it.`);

  const policy = info.get("maxmemory_policy") ?? "unknown";
  if (policy !== "noeviction")
    faults.push(
      `${at} has maxmemory-policy ${policy}, which throws lobbies and players away when memory is short: ` +
        "run `redis-cli CONFIG SET maxmemory-policy noeviction` and set the same in redis.conf.",
    );

  if (info.get("role") === "slave")
    faults.push(
      `${at} is a replica: give FOYER_REDIS_URL the address of the primary ` +
        `(${info.get("master_host")}:${info.get("master_port")}), or use redis+sentinel://.`,
    );

  const offset = await clockOffset(primary, now);
  if (Math.abs(offset) > clockOffsetMaxMs) {
    const seconds = (Math.abs(offset) / 1000).toFixed(1);
    const direction = offset > 0 ? "ahead of" : "behind";
    faults.push(
      `The clock of ${at} is ${seconds} s ${direction} this machine's; at most 1 s is allowed: ` +
        "let both follow the same time servers (`timedatectl set-ntp true`).",
    );
  }
  return faults;
}

/** How far Redis' clock is ahead of this one, in milliseconds: that of the first server, where there are several. */
export async function redisAheadMs(connection: RedisConnection, now: () => number): Promise<number> {
  const [first] = connection.primaries();
  return first === undefined ? 0 : clockOffset(first, now);
}

/** How far the server's clock is ahead, at least: what the way there and back may explain is taken off. */
async function clockOffset(primary: RedisPrimary, now: () => number): Promise<number> {
  let best = { offset: 0, roundTrip: Infinity };
  for (let sample = 0; sample < 3; sample++) {
    const sentAt = performance.now();
    // A border: TIME gives seconds and microseconds as two texts by the protocol.
    const [seconds, micros] = (await primary.ask("TIME")) as [string, string];
    const roundTrip = performance.now() - sentAt;
    const offset = Number(seconds) * 1000 + Number(micros) / 1000 - (now() - roundTrip / 2);
    if (roundTrip < best.roundTrip) best = { offset, roundTrip };
  }
  return Math.sign(best.offset) * Math.max(0, Math.abs(best.offset) - best.roundTrip / 2);
}

async function clusterFaults(primaries: readonly RedisPrimary[]): Promise<string[]> {
  const [witness] = primaries;
  const state = witness && fieldsOf(await witness.ask("CLUSTER", "INFO"));
  if (state?.get("cluster_state") === "ok") return [];
  const served = state?.get("cluster_slots_ok") ?? "0";
  return [
    `The Redis Cluster is not ok: ${served} of 16384 slots are served. ` +
      "Look with `redis-cli --cluster check`, mend with `redis-cli --cluster fix`.",
  ];
}

/** What a crash of the server can lose, in words; null: nothing that was answered. */
async function lossOf(primary: RedisPrimary): Promise<string | null> {
  const info = fieldsOf(await primary.ask("INFO", "persistence"));
  if (info.get("aof_enabled") !== "1")
    return (
      `Redis at ${primary.name} keeps no append-only file: when its process ends, every lobby and player since the last ` +
      "snapshot is forgotten. Run `redis-cli CONFIG SET appendonly yes` and set the same in redis.conf."
    );
  // Where CONFIG is forbidden nobody can tell, and the guide has said what to set.
  const fsync = await primary.ask("CONFIG", "GET", "appendfsync").catch(() => null);
  if (!Array.isArray(fsync) || fsync[1] === "always") return null;
  return (
    `Redis at ${primary.name} has appendfsync ${fsync[1]}: when it or its machine crashes, up to about two seconds of ` +
    "answered calls can be lost. For none run `redis-cli CONFIG SET appendfsync always` and set the same in redis.conf."
  );
}

function fieldsOf(info: unknown): Map<string, string> {
  const lines = String(info).split(/\r?\n/);
  return new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}
