import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { createFoyer, type Foyer } from "../sdk/src/foyer.ts";
import type { VersionConfig } from "../sdk/src/generated/types.ts";
import { createLobbyServer } from "../sdk/src/lobby-server.ts";
import { createMatchmaker } from "../sdk/src/matchmaker.ts";
import { loadSqlite } from "../src/ground/sqlite.ts";
import { root } from "./support/repository.ts";
import { ensureServerBuilt, type Server, startServer } from "./support/server.ts";
import { freePort, lobbyPorts } from "./support/services/programs.ts";
import { freshDatabase } from "./support/services/stores.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

// `npm test` runs this file with one version of Node, `npm run test:long` with the others. The service runs with the same.

const chess = ["chess", "prod"] as const;

let server: Server | null = null;

beforeAll(ensureServerBuilt);

// SIGINT also ends the servers of lobbies.
afterEach(async () => {
  const child = server?.process;
  server = null;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGINT");
  await ended;
});

/** What a service is started with. Its address and its data outlive the process. */
interface Installation {
  readonly port: number;
  readonly dataDir: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function embedded(): Promise<Installation> {
  return { port: await freePort(), dataDir: temporaryFolder(), flags: [], env: {} };
}

async function shared(): Promise<Installation> {
  const { databaseUrl } = await freshDatabase("postgresql");
  const redis = [`--redis-url=${inject("redisUrl")}`, `--redis-prefix=${randomUUID()}`];
  const flags = [...redis, `--database-url=${databaseUrl}`];
  return { port: await freePort(), dataDir: temporaryFolder(), flags, env: { FOYER_SECRET: randomUUID() } };
}

async function start({ port, dataDir, flags, env }: Installation): Promise<{ endpoint: string; admin: Foyer }> {
  const ports = `--lobby-ports=${lobbyPorts()}-${lobbyPorts() + 9}`;
  server = await startServer(dataDir, [`--port=${port}`, ports, ...flags], env);
  const endpoint = `http://127.0.0.1:${port}`;
  return { endpoint, admin: createFoyer({ endpoint, token: server.adminToken }) };
}

describe.each([
  ["the embedded engine", embedded],
  ["Redis and PostgreSQL", shared],
])("with %s", (_, install) => {
  test("[NV1] the service starts, answers the core operations and keeps seats over a kill and a restart", async () => {
    const installation = await install();
    const { endpoint, admin } = await start(installation);
    const { publicToken, serverToken } = await createNamespace(admin);
    expect(await issuesOf(admin, "staging")).toEqual([]);
    expect(await issuesOf(admin, "prod")).not.toEqual([]);

    const registered = await createFoyer({ endpoint, token: serverToken }).lobbies.register({
      game_mode: "duel",
      region: "local",
      ports: { default: { hostname: "127.0.0.1", port: 5001, is_tls: false } },
    });
    const lobby = createLobbyServer({ endpoint, token: registered.token, handleSignals: false, onError: () => {} });
    await lobby.ready();
    const players = createFoyer({ endpoint, token: publicToken });
    const seat = await createMatchmaker({ endpoint, token: publicToken }).find("duel");
    expect(seat.lobby.lobby_id).toBe(registered.lobby_id);
    await lobby.admit(seat.player.token);
    const other = await players.lobbies.find({ game_modes: ["duel"] });
    const leaving = await lobby.admit(other.player.token);
    await lobby.leave(leaving);

    await lobby.close();
    await expect(players.lobbies.find({ game_modes: ["duel"], prevent_auto_create_lobby: true })).rejects.toMatchObject(
      { code: "MATCHMAKER_NO_AVAILABLE_LOBBIES" },
    );
    await lobby.open();
    const before = await seenLobbies(admin);
    expect(before).toMatchObject([{ lobby_id: registered.lobby_id, players: [{ status: "connected" }] }]);

    await server!.kill();
    await start(installation);
    expect(await seenLobbies(admin)).toEqual(before);
    const third = await players.lobbies.find({ game_modes: ["duel"] });
    expect(third.lobby.lobby_id).toBe(registered.lobby_id);
    await lobby.stop();
    const { lobbies } = await players.lobbies.list();
    expect(lobbies).toEqual([]);
    expect(await server!.stop()).toBe(0);
  });

  test("[NV1] the service starts the servers of lobbies", async () => {
    const { admin, endpoint } = await start(await install());
    const args = [join(root, "tests/runtime/lobby.mjs")];
    const { publicToken } = await createNamespace(admin, { process: { command: process.execPath, args } });
    const players = createFoyer({ endpoint, token: publicToken });
    const seats = await Promise.all([1, 2].map(() => players.lobbies.find({ game_modes: ["duel"] })));
    const [seen, ...more] = await seenLobbies(admin);
    expect(more).toEqual([]);
    expect(seats.map(({ lobby }) => lobby.lobby_id)).toEqual([seen!.lobby_id, seen!.lobby_id]);
    await admin.games.namespaces.lobbies.stop(...chess, seen!.lobby_id);
  });
});

test("[NV2] the SQLite of Node and the package that replaces it store and read", async () => {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  for (const Database of [DatabaseSync, await loadSqlite()]) {
    const file = join(temporaryFolder(), "some.sqlite");
    const writing = new Database(file);
    writing.exec("pragma journal_mode = wal; create table things (name text, size integer); begin immediate");
    writing.prepare("insert into things values (?, ?)").run("one", 9_007_199_254_740_991);
    writing.exec("commit");
    writing.close();
    const reading = new Database(file);
    expect({ ...(reading.prepare("select * from things").get() as object) }).toEqual({
      name: "one",
      size: 9_007_199_254_740_991,
    });
    reading.close();
  }
});

async function createNamespace(admin: Foyer, runtime: object = { external: {} }) {
  await admin.games.createGame({ display_name: "Chess", name_id: "chess" });
  const duel = { max_players: 4, timeouts: { heartbeat_s: 0 }, runtime };
  // Cast: the runtime is what the test made.
  const config = { regions: { local: {} }, game_modes: { duel } } as VersionConfig;
  const { version_id } = await admin.games.versions.createGameVersion("chess", { display_name: "1", config });
  await admin.games.namespaces.createGameNamespace("chess", { display_name: "Prod", name_id: "prod", version_id });
  const { token: publicToken } = await admin.games.namespaces.createGameNamespaceTokenPublic(...chess);
  const { token: serverToken } = await admin.games.namespaces.createGameNamespaceTokenServer(...chess);
  return { publicToken, serverToken };
}

async function issuesOf(admin: Foyer, nameId: string) {
  const body = { display_name: "Another", name_id: nameId };
  const { errors } = await admin.games.namespaces.validateGameNamespace("chess", body);
  return errors;
}

/** Every living lobby with its players, as operators see it. */
async function seenLobbies(admin: Foyer) {
  const { lobbies } = await admin.games.namespaces.lobbies.list(...chess);
  return Promise.all(
    lobbies.map(async ({ lobby_id }) => {
      const { lobby } = await admin.games.namespaces.lobbies.get(...chess, lobby_id);
      const { is_closed, players, state } = lobby;
      return { lobby_id, is_closed, state, players };
    }),
  );
}
