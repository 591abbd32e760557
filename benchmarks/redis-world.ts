import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedisEngine, type RedisEngine } from "../src/engine/redis/redis.ts";
import { createIds } from "../src/ground/ids.ts";
import { createLog } from "../src/ground/log.ts";
import type { NewLobby } from "../src/matchmaker/commands.ts";
import { openRedis } from "../src/redis/connection.ts";
import { anyLobby } from "../tests/support/any-lobby.ts";
import { auditNamespace } from "../tests/support/redis-audit.ts";
import { type PostgresServer, startPostgres } from "../tests/support/services/postgres.ts";
import { type RedisServer, startRedis, until } from "../tests/support/services/redis.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer } from "./server-process.ts";
import type { LobbyShape } from "./world.ts";

/** A namespace with so many open lobbies of the mode `duel`. */
export interface RedisNamespace {
  readonly lobbies: number;
  readonly namespaceId: string;
  readonly versionId: string;
  readonly publicToken: string;
}

/** One PostgreSQL and one filled Redis, of which there may be copies, and nodes on any of them. */
export interface RedisWorld {
  readonly redis: RedisServer;
  readonly namespaces: readonly RedisNamespace[];
  readonly adminToken: string;
  /** Another Redis with the same in it. */
  copyRedis(): Promise<RedisServer>;
  startNode(redis: RedisServer, nodeId: string): Promise<ServerProcess>;
  stop(): Promise<void>;
}

/** Namespaces are made through the API of a node; the first lobby of each by its commands. */
export async function makeRedisWorld(lobbyCounts: readonly number[], shape: LobbyShape = {}): Promise<RedisWorld> {
  const stops: (() => Promise<void>)[] = [];
  const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
    stops.unshift(() => part.stop());
    return part;
  };
  async function stop(): Promise<void> {
    for (const stopPart of stops.splice(0)) await stopPart();
  }

  async function copyRedis(): Promise<RedisServer> {
    const copy = keep(await startRedis(redisSetup));
    await copyInto(copy, redis);
    return copy;
  }

  async function startNode(on: RedisServer, nodeId: string): Promise<ServerProcess> {
    const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
    keep({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
    return keep(await serveNode(folder, nodeId, on, postgres));
  }

  const postgres = keep(await startPostgres());
  const redis = keep(await startRedis(redisSetup));
  try {
    const first = await startNode(redis, "first");
    const namespaces = await makeNamespaces(first, lobbyCounts).finally(() => first.stop());
    await fill(redis, namespaces, shape);
    return { redis, namespaces, adminToken, copyRedis, startNode, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** So large that no benchmark fills a lobby, as in world.ts. */
const maxPlayers = 100_000;

const secret = "secret-of-a-benchmark".repeat(2);
const adminToken = `admin_${secret}`;

/**
 * As the guide recommends it, but for two things that would fall into some rounds and not into others: rewriting the log,
 * and feeding copies that are gone.
 */
const redisSetup = {
  appendfsync: "always",
  more: ["--auto-aof-rewrite-percentage", "0", "--repl-diskless-sync-delay", "0", "--repl-backlog-ttl", "1"],
} as const;

/** Settings by file: those of the benchmark's own environment must not count. */
function serveNode(folder: string, nodeId: string, redis: RedisServer, postgres: PostgresServer) {
  const shared = { redis_url: redis.url, database_url: postgres.url, secret, admin_token: adminToken };
  writeFileSync(join(folder, "foyer.config.json"), JSON.stringify({ ...shared, node_id: nodeId }));
  return serveFoyer(folder);
}

async function makeNamespaces(node: ServerProcess, lobbyCounts: readonly number[]): Promise<RedisNamespace[]> {
  const admin = bearer(adminToken);
  const post = async (path: string, body: unknown) =>
    JSON.parse((await send("POST", `${node.url}/cloud/games${path}`, admin, body)).body) as Record<string, string>;

  await post("", { display_name: "Bench", name_id: "bench" });
  const mode = {
    max_players: maxPlayers,
    timeouts: { reservation_s: 3600, heartbeat_s: 0 },
    runtime: { external: {} },
  };
  const config = { regions: { local: { display_name: "Local" } }, game_modes: { duel: mode } };
  const { version_id } = await post("/bench/versions", { display_name: "1", config });
  const made: RedisNamespace[] = [];
  for (const lobbies of lobbyCounts) {
    const name = `lobbies-${lobbies}`;
    const { namespace_id } = await post("/bench/namespaces", { display_name: name, name_id: name, version_id });
    const limits = { lobby_count_max: 10_000_000, max_players: maxPlayers };
    await send("POST", `${node.url}/cloud/games/bench/namespaces/${name}/mm-config`, admin, limits);
    const { token } = await post(`/bench/namespaces/${name}/tokens/public`, {});
    made.push({ lobbies, namespaceId: namespace_id!, versionId: version_id!, publicToken: token! });
  }
  return made;
}

async function fill(redis: RedisServer, namespaces: readonly RedisNamespace[], shape: LobbyShape): Promise<void> {
  const link = await openRedis({ url: redis.url, log: createLog({ level: "warn", format: "auto" }) });
  const newId = createIds(Date.now);
  const engine = await createRedisEngine({
    link,
    prefix: "foyer",
    newOpId: newId,
    wallClock: Date.now,
    isHearing: true,
  });
  try {
    for (const namespace of namespaces) {
      const model = await addLobby(engine, namespace, newLobby(namespace, newId(), shape));
      await addCopies(redis, namespace, model, newId);
      const { ready } = await engine.read({ type: "counts", namespaceId: namespace.namespaceId, now: Date.now() });
      if (ready !== namespace.lobbies) throw new Error(`${ready} lobbies are ready instead of ${namespace.lobbies}.`);
    }
    const violations = await auditNamespace(link, "foyer", namespaces[0]!.namespaceId);
    if (violations.length > 0)
      throw new Error(`Lobbies are kept in another way now: ${violations.slice(0, 5).join(" ")}`);
  } finally {
    await engine.close();
    await link.close();
  }
}

async function addLobby(engine: RedisEngine, { namespaceId }: RedisNamespace, lobby: NewLobby): Promise<string> {
  const common = { namespaceId, now: Date.now() };
  const { revision } = await engine.read({ type: "counts", ...common });
  const nobody = { clientId: null, playerIds: [], idempotency: null };
  await engine.execute({ type: "createLobby", reason: "registered", ...common, ...nobody, revision: revision!, lobby });
  await engine.execute({ type: "setReady", ...common, lobbyId: lobby.lobbyId });
  return lobby.lobbyId;
}

const copiesPerCall = 1000;

/**
 * Every other lobby is written as the model is, and counted wherever it is counted: making 100,000 by their commands takes
 * minutes. The model is alone in its namespace, so what holds its id is its own, and every count is 1.
 */
async function addCopies(redis: RedisServer, namespace: RedisNamespace, model: string, newId: () => string) {
  const key = `foyer:{${namespace.namespaceId}}:ns`;
  const own = (await redis.ask("KEYS", `foyer:{${namespace.namespaceId}}:*`)) as string[];
  for (let left = namespace.lobbies - 1; left > 0; left -= copiesPerCall) {
    const ids = Array.from({ length: Math.min(left, copiesPerCall) }, newId);
    await redis.ask("EVAL", copyScript, own.length + 1, key, ...own, model, ...ids);
  }
}

const copyScript = `#!lua
local model = ARGV[1]
local function named(text, id)
  local from, to = string.find(text, model, 1, true)
  return from and string.sub(text, 1, from - 1) .. id .. string.sub(text, to + 1)
end
for at = 2, #KEYS do
  local key, kind = KEYS[at], redis.call("TYPE", KEYS[at]).ok
  if kind == "hash" and named(key, "") then
    for of = 2, #ARGV do redis.call("COPY", key, named(key, ARGV[of])) end
  elseif kind == "zset" then
    local entry = redis.call("ZRANGE", key, 0, 0, "WITHSCORES")
    for of = 2, named(entry[1], "") and #ARGV or 0 do redis.call("ZADD", key, entry[2], named(entry[1], ARGV[of])) end
  elseif kind == "hash" and string.find(key, "}:[cg]:") then
    for _, field in ipairs(redis.call("HKEYS", key)) do redis.call("HINCRBY", key, field, #ARGV - 1) end
  end
end
redis.call("HINCRBY", KEYS[1], "readyCount", #ARGV - 1)
`;

function newLobby({ versionId }: RedisNamespace, lobbyId: string, shape: LobbyShape): NewLobby {
  const port = 20_000;
  const ports = { default: { hostname: "game.example.com", host: `game.example.com:${port}`, port, is_tls: true } };
  return {
    ...anyLobby,
    lobbyId,
    versionId,
    maxPlayers: shape.seats ?? maxPlayers,
    maxPlayersDirect: shape.seats ?? maxPlayers,
    isExternal: true,
    readyMs: 300_000,
    reservationMs: shape.reservationMs ?? 3_600_000,
    emptyMs: 30_000,
    ports: JSON.stringify(ports),
  };
}

/** By replication, which takes a second where making the lobbies once more would take many. */
async function copyInto(copy: RedisServer, original: RedisServer): Promise<void> {
  await copy.ask("REPLICAOF", "127.0.0.1", original.port);
  const isWhole = async () =>
    (await copy.info("master_link_status")) === "up" && (await copy.ask("DBSIZE")) === (await original.ask("DBSIZE"));
  await until("the copy has everything", isWhole);
  await copy.ask("REPLICAOF", "NO", "ONE");
  // It rewrites its log now, which must be over before anything is measured.
  const isWritten = async () =>
    (await copy.info("aof_rewrite_in_progress")) === "0" && (await copy.info("aof_rewrite_scheduled")) === "0";
  await until("the copy has written its log", isWritten, 60_000);
}
