import type { Metrics } from "../ground/metrics.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { Waiting } from "../operations/matchmaking/lobby-waiters.ts";
import type { RedisMeasures } from "../redis/connection.ts";
import type { RedisConnection } from "../redis/interface.ts";
import type { Runtime } from "../runtime/runtime.ts";

interface MeasuredParts {
  readonly nodes: Nodes;
  readonly waiting: Waiting;
  readonly driver: Runtime;
  /** How many watches of lobby lists are open. */
  watches(): number;
}

/** Metrics of this node and of what it knows about the others. All of them are read at each scrape. */
export function measureNode(metrics: Metrics, parts: MeasuredParts): void {
  const { nodes, waiting, driver, watches } = parts;
  const alive = () => nodes.all().filter((node) => node.isAlive).length;
  metrics.gauge("foyer_nodes_alive", "Nodes that reported a moment ago, including this one.", alive);
  const hasLease = () => (nodes.lease() === null ? 0 : 1);
  metrics.gauge(
    "foyer_node_has_lease",
    "1 while this node has the lease for the work that only one node does.",
    hasLease,
  );
  const running = async () => (await driver.list()).length;
  metrics.gauge("foyer_lobby_processes", "Lobby processes that this node runs.", running);
  metrics.gauge("foyer_waiting_requests", "Requests that wait for a lobby to become ready.", waiting.count);
  metrics.gauge("foyer_lobby_watches", "Watches of lobby lists open now.", watches);
}

/** Records every command to Redis. */
export function measureRedis(metrics: Metrics): RedisMeasures {
  const answered = metrics.durations(
    "foyer_redis_command_duration_seconds",
    "Time until Redis had answered a command or script, with all tries.",
    "command",
  );
  const retried = metrics.counter("foyer_redis_retries_total", "Tries that failed and were repeated.", "cause");
  const failed = metrics.counter("foyer_redis_failures_total", "Commands that failed in the end.", "cause");
  return {
    answered,
    failed: (error, isRetried) => (isRetried ? retried : failed)(nameCause(error)),
  };
}

export function measureRedisConnection(metrics: Metrics, link: RedisConnection): void {
  const isConnected = () => (link.isConnected() ? 1 : 0);
  metrics.gauge("foyer_redis_connected", "1 while there is a connection to Redis.", isConnected);
}

/** The error name that Redis gives, else the code of the network error. Both have few values. */
function nameCause(error: unknown): string {
  if (!(error instanceof Error)) return "other";
  if (error.name === "ReplyError") return /^[A-Z]+/.exec(error.message)?.[0] ?? "other";
  if ("code" in error && typeof error.code === "string") return error.code;
  return /timed out/.test(error.message) ? "timeout" : "connection";
}
