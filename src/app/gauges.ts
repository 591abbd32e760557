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

/** What this node does and sees of the others. All of it is read when somebody scrapes. */
export function measureNode(metrics: Metrics, parts: MeasuredParts): void {
  const { nodes, waiting, driver, watches } = parts;
  const alive = () => nodes.all().filter((node) => node.isAlive).length;
  metrics.gauge("foyer_nodes_alive", "Nodes heard of a moment ago, this one included.", alive);
  const hasLease = () => (nodes.lease() === null ? 0 : 1);
  metrics.gauge("foyer_node_has_lease", "1 while this node does what must be done once for all.", hasLease);
  const running = async () => (await driver.list()).length;
  metrics.gauge("foyer_lobby_processes", "Lobby processes that this node runs.", running);
  metrics.gauge("foyer_waiting_requests", "Requests that wait for a lobby to become ready.", waiting.count);
  metrics.gauge("foyer_lobby_watches", "Watches of lobby lists open now.", watches);
}

/** What every command to Redis is told to. */
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
    failed: (error, isRetried) => (isRetried ? retried : failed)(causeOf(error)),
  };
}

export function measureRedisConnection(metrics: Metrics, link: RedisConnection): void {
  const isConnected = () => (link.isConnected() ? 1 : 0);
  metrics.gauge("foyer_redis_connected", "1 while there is a connection to Redis.", isConnected);
}

/** Redis' own word for it, else the code of the network's fault: there are few of either. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "other";
  if (error.name === "ReplyError") return /^[A-Z]+/.exec(error.message)?.[0] ?? "other";
  if ("code" in error && typeof error.code === "string") return error.code;
  return /timed out/.test(error.message) ? "timeout" : "connection";
}
