import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Cluster, Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type Service, startService } from "../support/harness.ts";
import { freshDatabase, freshLiveState } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = fileURLToPath(new URL("v0-1-0", import.meta.url));

/** Ids and tokens of what the earlier version had when it was killed. */
interface Facts {
  readonly namespace_id: string;
  readonly versions: readonly string[];
  readonly tokens: { readonly admin: string; readonly pub: string; readonly server: string; readonly secret: string };
  readonly lobbies: Record<"open" | "closed" | "big" | "stopped", { readonly id: string; readonly token: string }>;
  readonly players: { readonly connected: string; readonly party: readonly string[] };
}

interface StoredKey {
  readonly key: string;
  readonly type: string;
  readonly ttl_ms: number;
  readonly value: unknown;
}

const readJson = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

async function openDataFolder(): Promise<{ service: Service; facts: Facts }> {
  const facts: Facts = readJson("embedded.json");
  const parent = temporaryFolder();
  execFileSync("tar", ["-xzf", join(folder, "data-folder.tar.gz"), "-C", parent]);
  const service = await startService("sqlite", {
    dataDir: join(parent, "data-folder"),
    adminToken: facts.tokens.admin,
    secret: facts.tokens.secret,
  });
  return { service, facts };
}

async function openShared(kind: "redis" | "cluster"): Promise<{ service: Service; facts: Facts }> {
  const facts: Facts = readJson("shared.json");
  const { databaseUrl } = await freshDatabase(kind);
  const live = freshLiveState(kind);
  const quiet = { out: () => {}, err: () => {}, isInteractive: false, colours: false, columns: 80, now: Date.now };
  const argv = ["import", join(folder, "control-plane.jsonl"), `--database-url=${databaseUrl}`];
  expect(await run([...argv, `--data-dir=${temporaryFolder()}`], quiet)).toBe(0);
  await restoreKeys(kind, live.redisUrl!, live.redisPrefix);
  const service = await startService(kind, {
    databaseUrl,
    ...live,
    adminToken: facts.tokens.admin,
    secret: facts.tokens.secret,
  });
  return { service, facts };
}

async function restoreKeys(kind: "redis" | "cluster", url: string, prefix: string): Promise<void> {
  const { hostname, port } = new URL(url.split(",")[0]!.replace(/^\w+(?:\+\w+)?:/, "http:"));
  const at = { host: hostname, port: Number(port) };
  const client = kind === "cluster" ? new Cluster([at]) : new Redis(at);
  for (const { key, type, ttl_ms, value } of readJson("redis-keys.json") as StoredKey[]) {
    const name = key.replace(/^foyer:/, `${prefix}:`);
    for (const command of restoring(name, type, value)) await client.call(command[0]!, ...command.slice(1));
    if (ttl_ms > 0) await client.pexpire(name, ttl_ms);
  }
  client.disconnect();
}

/** The commands that write a key as it was. */
function restoring(key: string, type: string, value: unknown): string[][] {
  if (type === "hash") return [["hset", key, ...Object.entries(value as Record<string, string>).flat()]];
  if (type === "zset") return [["zadd", key, ...(value as string[][]).flat()]];
  if (type === "set") return [["sadd", key, ...(value as string[])]];
  if (type === "string") return [["set", key, value as string]];
  if (type === "stream") return (value as [string, string[]][]).map(([id, fields]) => ["xadd", key, id, ...fields]);
  throw new Error(`The fixture has a key of type ${type}, which this test cannot write.`);
}

const kinds = [
  { kind: "a data folder", open: openDataFolder },
  { kind: "Redis and PostgreSQL", open: () => openShared("redis") },
  { kind: "a Redis Cluster and PostgreSQL", open: () => openShared("cluster") },
];

describe.each(kinds)("what 0.1.0 left in $kind", ({ open }) => {
  async function opened() {
    const { service, facts } = await open();
    onTestFinished(() => service.close());
    const call = async (method: string, path: string, token: string, body?: unknown) => {
      const { status, json } = await service.request(method, path, { token, body });
      return { status, json };
    };
    return { service, facts, call };
  }

  test("[DU20] lobbies, seats, states and flags of 0.1.0 are present and work", async () => {
    const { facts, call } = await opened();
    const { lobbies, players, tokens } = facts;

    const list = await call("GET", "/matchmaker/lobbies/list?include_state=true", tokens.pub);
    const byId = Object.fromEntries(list.json.lobbies.map((lobby: { lobby_id: string }) => [lobby.lobby_id, lobby]));
    expect(Object.keys(byId).sort()).toEqual([lobbies.open.id, lobbies.closed.id, lobbies.big.id].sort());
    expect(byId[lobbies.open.id]).toMatchObject({ is_closed: false, tags: { map: "moon" }, max_players_direct: 4 });
    expect(byId[lobbies.closed.id]).toMatchObject({ is_closed: true, total_player_count: 0 });
    expect(byId[lobbies.big.id]).toMatchObject({ state: { round: 3, names: ["ä", "b"] } });

    const connect = (lobby: { token: string }, token: string) =>
      call("POST", "/matchmaker/players/connected", lobby.token, { player_token: token });
    expect((await connect(lobbies.open, players.connected)).json.code).toBe("MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    expect((await connect(lobbies.big, players.party[0]!)).json.code).toBe("MATCHMAKER_PLAYER_ALREADY_CONNECTED");

    const find = { game_modes: ["duel"] };
    const first = await call("POST", "/matchmaker/lobbies/find", tokens.pub, find);
    expect(first.json.lobby.lobby_id).toBe(lobbies.open.id);
    const full = await call("POST", "/matchmaker/lobbies/find", tokens.pub, find);
    expect(full.json.code).toBe("MATCHMAKER_NO_AVAILABLE_LOBBIES");
    const reopened = await call("PUT", "/matchmaker/lobbies/closed", lobbies.closed.token, { is_closed: false });
    expect(reopened.status).toBe(204);
    const second = await call("POST", "/matchmaker/lobbies/find", tokens.pub, find);
    expect(second.json.lobby.lobby_id).toBe(lobbies.closed.id);

    const left = await call("POST", "/matchmaker/players/disconnected", lobbies.open.token, {
      player_token: players.connected,
    });
    expect(left.status).toBe(204);
  });

  test("[DU20] the control plane of 0.1.0 is there: limits, domains, versions, tokens, history", async () => {
    const { service, facts, call } = await opened();
    const path = "/cloud/games/old-game/namespaces/prod";

    const { namespace } = await service.admin("GET", path);
    expect(namespace).toMatchObject({
      namespace_id: facts.namespace_id,
      version_id: facts.versions[0],
      matchmaker: { lobby_count_max: 10, max_players: 40, max_players_per_client: 30 },
      domains: [{ domain: "play.example.com" }],
    });
    const { versions } = await service.admin("GET", "/cloud/games/old-game/versions");
    expect(versions.map((version: { version_id: string }) => version.version_id).sort()).toEqual([...facts.versions]);
    const { lobbies } = await service.admin("GET", `${path}/lobby-history`);
    expect(lobbies.map((lobby: { lobby_id: string }) => lobby.lobby_id)).toEqual([facts.lobbies.stopped.id]);

    const ports = { default: { hostname: "127.0.0.1", port: 9001, is_tls: false } };
    const body = { game_mode: "duel", region: "local", ports };
    expect((await call("POST", "/matchmaker/lobbies/register", facts.tokens.server, body)).status).toBe(200);
  });

  test("[CB16] a version of 0.1.0 that says no number keeps lobbies without heartbeats", async () => {
    const { facts, call } = await opened();
    const ports = { default: { hostname: "127.0.0.1", port: 9001, is_tls: false } };
    const body = { game_mode: "royale", region: "local", ports };
    const answer = await call("POST", "/matchmaker/lobbies/register", facts.tokens.server, body);
    expect(answer.json).toMatchObject({ heartbeat_s: 0, reconnect_s: 0 });
  });

  test("[CB3] the lobbies of 0.1.0 hold no seats", async () => {
    const { facts, call } = await opened();
    const { lobbies, players } = facts;
    const dropped = { player_token: players.connected, may_return: true };
    expect((await call("POST", "/matchmaker/players/disconnected", lobbies.open.token, dropped)).status).toBe(204);
    const back = await call("POST", "/matchmaker/players/connected", lobbies.open.token, {
      player_token: players.connected,
    });
    expect(back.json.code).toBe("MATCHMAKER_PLAYER_REMOVED");
    const heartbeat = await call("POST", "/matchmaker/lobbies/heartbeat", lobbies.open.token);
    expect(heartbeat.json).toMatchObject({ player_ids: [], players: [], reconnect_s: 0 });
  });
});
