import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSqliteJournal } from "../src/engine/memory/sqlite-journal.ts";
import { startPostgres } from "../tests/support/services/postgres.ts";
import { type RedisServer, startRedis } from "../tests/support/services/redis.ts";
import { bearer, send } from "./requests.ts";
import { type ServerProcess, serveFoyer } from "./server-process.ts";
import { gameMode, type SoakWorld } from "./soak-churn.ts";

/** One service with one namespace, on either engine. */
export interface SoakInstallation {
  readonly world: SoakWorld;
  readonly server: ServerProcess;
  /** Watches of the list and an operator's event stream, which are read until they are closed. */
  openStreams(): Promise<{ close(): Promise<void> }>;
  stopLobbies(): Promise<void>;
  /**
   * What is stored of the namespace besides what always stays: its record, and with Redis its events and latest answers.
   * Without Redis it ends the service once nothing but the journal is left to look at.
   */
  leftovers(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Clients are told apart by the header of a proxy. No limit of a client applies: the service itself is under test. */
const flags = [
  ...["--metrics-port=off", "--log-level=error", "--trusted-proxies=127.0.0.1", "--max-in-flight-per-address=100000"],
  ...["address", "find", "seats", "list", "lobby", "server", "cloud"].map((rate) => `--rate-${rate}=0`),
  ...["--rate-wrong-codes=0", "--rate-wrong-codes-namespace=0"],
];
const watchCount = 4;

export async function makeSoakInstallation(engine: "embedded" | "redis"): Promise<SoakInstallation> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-soak-"));
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const stopPart of stops.splice(0).reverse()) await stopPart();
  };
  try {
    const redis = engine === "redis" ? await shareStores(folder, stops) : null;
    const server = await serveFoyer(folder, flags);
    stops.push(() => server.stop());
    const adminToken = readFileSync(join(folder, "admin-token"), "utf8").trim();
    const { world, namespaceId } = await makeNamespace(server.url, adminToken);
    return {
      world,
      server,
      openStreams: () => openStreams(world),
      stopLobbies: () => stopLobbies(world),
      leftovers: () => (redis === null ? leftInJournal(folder, world, server) : leftInRedis(redis, namespaceId)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function shareStores(folder: string, stops: (() => unknown)[]): Promise<RedisServer> {
  const postgres = await startPostgres();
  stops.push(() => postgres.stop());
  const redis = await startRedis({ appendfsync: "everysec" });
  stops.push(() => redis.stop());
  const settings = { redis_url: redis.url, database_url: postgres.url, secret: "secret-of-a-soak".repeat(3) };
  writeFileSync(join(folder, "foyer.config.json"), JSON.stringify(settings));
  return redis;
}

async function makeNamespace(url: string, adminToken: string) {
  const post = async (path: string, body: unknown = {}) => {
    const { body: text } = await send("POST", `${url}/cloud/games${path}`, bearer(adminToken), body);
    return (text === "" ? {} : JSON.parse(text)) as Record<string, string>;
  };
  await post("", { display_name: "Soak", name_id: "soak" });
  const config = { regions: { local: {} }, game_modes: { duel: gameMode } };
  const { version_id } = await post("/soak/versions", { display_name: "1", config });
  const { namespace_id } = await post("/soak/namespaces", { display_name: "Prod", name_id: "prod", version_id });
  await post("/soak/namespaces/prod/mm-config", { lobby_count_max: 10_000, max_players: 100_000 });
  const { token: publicToken } = await post("/soak/namespaces/prod/tokens/public");
  const { token: serverToken } = await post("/soak/namespaces/prod/tokens/server");
  const namespacePath = "/cloud/games/soak/namespaces/prod";
  const world = { url, namespacePath, adminToken, publicToken: publicToken!, serverToken: serverToken! };
  return { world, namespaceId: namespace_id! };
}

async function openStreams(world: SoakWorld) {
  const ending = new AbortController();
  const reading: Promise<void>[] = [];
  const open = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${world.url}${path}`, { headers, signal: ending.signal });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    reading.push(readAll(response));
  };
  for (let count = 0; count < watchCount; count++) await open("/matchmaker/lobbies/watch", world.publicToken);
  await open(`${world.namespacePath}/events`, world.adminToken);
  return {
    async close() {
      ending.abort();
      await Promise.all(reading);
    },
  };
}

async function readAll({ body }: Response): Promise<void> {
  try {
    for await (const _ of body!);
  } catch {
    // The soak has ended it.
  }
}

async function listLobbies({ url, namespacePath, adminToken }: SoakWorld, more = ""): Promise<string[]> {
  const response = await fetch(`${url}${namespacePath}/lobbies?limit=500${more}`, { headers: bearer(adminToken) });
  const { lobbies } = (await response.json()) as { lobbies: { lobby_id: string }[] };
  return lobbies.map(({ lobby_id }) => lobby_id);
}

async function stopLobbies(world: SoakWorld): Promise<void> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  for (let ids = await listLobbies(world); ids.length > 0; ids = await listLobbies(world)) {
    for (const id of ids)
      await fetch(`${world.url}${world.namespacePath}/lobbies/${id}`, { method: "DELETE", headers });
  }
}

/** When the service no longer remembers a lobby it is stopped, so that its journal can be read. */
async function leftInJournal(folder: string, world: SoakWorld, server: ServerProcess): Promise<string[]> {
  const remembered = await listLobbies(world, "&include_stopped=true");
  if (remembered.length > 0) return remembered.map((id) => `lobby ${id}`);
  // What is due with the last lobby is removed and written within seconds.
  await sleep(10_000);
  await server.stop();
  const journal = createSqliteJournal({ dataDir: folder });
  const stored = [...(await journal.load()).values()].flat();
  await journal.close();
  return stored.filter(({ entity }) => entity !== "namespace").map(({ entity, id }) => `stored ${entity} ${id}`);
}

async function leftInRedis(redis: RedisServer, namespaceId: string): Promise<string[]> {
  const stem = `foyer:{${namespaceId}}:`;
  const keys = (await redis.ask("KEYS", `${stem}*`)) as string[];
  const stays = /^(?:ns|events|op:.*)$/;
  return keys.map((key) => key.slice(stem.length)).filter((key) => !stays.test(key));
}
