import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commandScripts } from "../src/engine/redis/scripts.ts";
import { writeCommand } from "../src/engine/redis/write-commands.ts";
import { findProgram, type RedisServer } from "../tests/support/services/redis.ts";
import type { RedisNamespace } from "./redis-world.ts";

export interface RawRound {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** redis-benchmark puts twelve random digits in the place of each of these. */
const random = "__rand_int__";

/** Scripts take a clock that is two seconds ahead at most. */
const aheadMs = 1_500;

/**
 * The script of find itself, called by redis-benchmark: what Redis gives without any node in front. Each call has a player
 * and an operation of its own, so each takes a seat; whether all did is counted afterwards.
 */
export async function loadRaw(
  redis: RedisServer,
  { namespaceId, lobbies }: RedisNamespace,
  connections: number,
  requests: number,
): Promise<RawRound> {
  const { text, sha } = commandScripts.find;
  const key = `foyer:{${namespaceId}}:ns`;
  const field = async (name: string) => Number(await redis.ask("HGET", key, name));
  const [body, create, made, wishes] = writeCommand({
    type: "find",
    namespaceId,
    now: Date.now(),
    revision: await field("revision"),
    clientId: "127.0.0.1",
    pairs: [{ gameMode: "duel", region: "local" }],
    tags: {},
    playerIds: [`${random}${random}`],
    create: null,
    createRefusal: "NO_AVAILABLE_LOBBIES",
    idempotency: null,
  });
  // The text is the same for all calls of a round: as if sent a little later, so that none of them is too late.
  const sentAt = String(Date.now() + aheadMs);
  // Valid for as long as a round takes, with current information about when nodes can receive heartbeats.
  const now = Date.now();
  const knowledge = [
    String(now + 600_000),
    String((await redis.ask("HGET", key, "hearingSince")) ?? "0"),
    String(now + 600_000),
    "",
  ];
  await redis.ask("SCRIPT", "LOAD", text);
  const takenBefore = await field("reservedCount");
  const call = [
    "EVALSHA",
    sha,
    "1",
    key,
    body,
    `raw-${random}${random}`,
    sentAt,
    create,
    made,
    "",
    ...knowledge,
    wishes,
  ];
  const load = ["-p", String(redis.port), "-c", String(connections), "-n", String(requests), "-r", "2147483647"];
  const { stdout } = await promisify(execFile)(benchmarkProgram(), [...load, "--csv", ...call]);
  const taken = (await field("reservedCount")) - takenBefore;
  if (taken !== requests) throw new Error(`${requests} finds with ${lobbies} lobbies took ${taken} seats.`);
  return readRound(stdout);
}

function benchmarkProgram(): string {
  const program = findProgram("redis-benchmark");
  if (program !== null) return program;
  throw new Error("redis-benchmark is not in PATH. On Debian and Ubuntu it is in the package redis-tools.");
}

/** A line of titles, then one of figures: "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms",… */
function readRound(csv: string): RawRound {
  const [titles = [], figures = []] = csv
    .trim()
    .split("\n")
    .slice(-2)
    // The first column is the command, whose own quotes and commas are of no interest.
    .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
  const fromEnd = (title: string) => Number(figures.at(titles.indexOf(title) - titles.length));
  return { requestsPerSecond: fromEnd("rps"), p50Ms: fromEnd("p50_latency_ms"), p99Ms: fromEnd("p99_latency_ms") };
}
