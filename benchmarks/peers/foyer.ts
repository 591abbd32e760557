import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../tests/support/services/redis.ts";
import { untilQuiet } from "../redis-meter.ts";
import { makeRedisWorld } from "../redis-world.ts";
import { bearer, send } from "../requests.ts";
import { serveFoyer } from "../server-process.ts";
import { makeWorld } from "../world.ts";
import { type HttpAnswer, type HttpRequest, requestText } from "./client.ts";
import type { RoomCount } from "./count.ts";
import type { Peer, RunningPeer, Setup } from "./peer.ts";
import { residentMiB } from "./resident.ts";

export const foyerPeers: readonly Peer[] = [
  {
    name: "foyer",
    title: "Foyer, synced to disk before each answer",
    kind: "foyer",
    isOnRedis: false,
    counts: ["burst", "vanished", "locked"],
    start: startEmbedded,
  },
  {
    name: "foyer-redis",
    title: "Foyer on Redis, one node, everysec",
    kind: "foyer",
    isOnRedis: true,
    counts: ["burst", "vanished", "locked"],
    start: startOnRedis,
  },
];

/** A service that runs, and a namespace of it. */
interface Place {
  readonly url: string;
  readonly adminToken: string;
  /** The path of the namespace. */
  readonly namespace: string;
  readonly publicToken: string;
}

/** With rooms, they are registered lobbies; without, Foyer starts a process for each lobby that is needed. */
async function startEmbedded(setup: Setup): Promise<RunningPeer> {
  const { rooms, seats, reservationS } = setup;
  const size = { lobbies: rooms, taggedLobbies: 0, playersPerLobby: 0, seats, reservationMs: reservationS * 1000 };
  const world = rooms > 0 ? await makeWorld(size) : emptyWorld();
  const server = await serveFoyer(world.folder);
  const adminToken = readFileSync(join(world.folder, "admin-token"), "utf8").trim();
  const place: Place =
    "publicToken" in world
      ? { url: server.url, adminToken, namespace: "/cloud/games/bench/namespaces/prod", publicToken: world.publicToken }
      : await makeProcessNamespace(server.url, adminToken, setup);
  return {
    ...running(place),
    residentMiB: () => Promise.resolve({ server: residentMiB(server.pid), redis: null }),
    async stop() {
      if (rooms === 0) await stopLobbies(place);
      await server.stop();
      world.remove();
    },
  };
}

function emptyWorld() {
  const folder = mkdtempSync(join(tmpdir(), "foyer-bench-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function startOnRedis(setup: Setup): Promise<RunningPeer> {
  const { rooms, seats, reservationS } = setup;
  const world = await makeRedisWorld([Math.max(1, rooms)], { seats, reservationMs: reservationS * 1000 });
  try {
    const { redis, adminToken } = world;
    await redis.ask("CONFIG", "SET", "appendfsync", "everysec");
    const server = await world.startNode(redis, "one");
    const { publicToken, lobbies } = world.namespaces[0]!;
    const namespace = `/cloud/games/bench/namespaces/lobbies-${lobbies}`;
    const place: Place =
      rooms > 0
        ? { url: server.url, adminToken, namespace, publicToken }
        : await makeProcessNamespace(server.url, adminToken, setup);
    await untilQuiet(redis);
    return {
      ...running(place),
      residentMiB: async () => ({
        server: residentMiB(server.pid),
        redis: Number(await redis.info("used_memory_rss")) / 2 ** 20,
      }),
      async stop() {
        if (rooms === 0) await stopLobbies(place);
        await world.stop();
      },
    };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

function running(place: Place): Omit<RunningPeer, "residentMiB" | "stop"> {
  const request: HttpRequest = {
    method: "POST",
    path: "/matchmaker/lobbies/find",
    headers: bearer(place.publicToken),
    body: JSON.stringify({ game_modes: ["duel"] }),
  };
  const text = requestText(place.url, request);
  return {
    url: place.url,
    requestOf: () => request,
    seatOf,
    seat: async (connection) => seatOf(await connection.ask(text)),
    afterTurn: () => Promise.resolve(),
    rooms: async () => (await listLobbies(place)).map(toRoom),
    async lock(lobbyId) {
      const body = JSON.stringify({ is_closed: true });
      const url = `${place.url}${place.namespace}/lobbies/${lobbyId}/closed`;
      const answer = await fetch(url, { method: "PUT", headers: bearer(place.adminToken), body });
      if (answer.status !== 204) throw new Error(`Closing ${lobbyId} was answered with ${answer.status}.`);
    },
  };
}

function seatOf({ status, body }: HttpAnswer): string | null {
  return status === 200 ? (/"lobby_id":"([0-9a-f-]{36})"/.exec(body)?.[1] ?? null) : null;
}

interface ListedLobby {
  readonly lobby_id: string;
  readonly total_player_count: number;
  readonly exit_code: number | null;
  readonly exit_signal: string | null;
}

const toRoom = (lobby: ListedLobby): RoomCount => ({ id: lobby.lobby_id, taken: lobby.total_player_count });

async function listLobbies({ url, adminToken, namespace }: Place, query = ""): Promise<ListedLobby[]> {
  const lobbies: ListedLobby[] = [];
  let cursor: string | null | undefined;
  do {
    const next = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const answer = await fetch(`${url}${namespace}/lobbies?limit=500${query}${next}`, { headers: bearer(adminToken) });
    const page = (await answer.json()) as { lobbies: ListedLobby[]; cursor?: string | null };
    lobbies.push(...page.lobbies);
    cursor = page.cursor;
  } while (cursor);
  return lobbies;
}

const lobbyProgram = fileURLToPath(new URL("lobby.mjs", import.meta.url));

/** A lobby is a process of its own here, as small as one can be. */
async function makeProcessNamespace(url: string, adminToken: string, setup: Setup): Promise<Place> {
  const post = async (path: string, body: unknown) =>
    JSON.parse((await send("POST", `${url}/cloud/games${path}`, bearer(adminToken), body)).body) as Record<
      string,
      string
    >;
  const mode = {
    max_players: setup.seats,
    timeouts: { reservation_s: setup.reservationS },
    ports: { default: { lazy: true } },
    runtime: { process: { command: process.execPath, args: [lobbyProgram] } },
  };
  await post("", { display_name: "Burst", name_id: "burst" });
  const config = { regions: { local: { display_name: "Local" } }, game_modes: { duel: mode } };
  const { version_id } = await post("/burst/versions", { display_name: "1", config });
  await post("/burst/namespaces", { display_name: "Prod", name_id: "prod", version_id });
  const { token } = await post("/burst/namespaces/prod/tokens/public", {});
  return { url, adminToken, namespace: "/cloud/games/burst/namespaces/prod", publicToken: token! };
}

/** Foyer leaves the processes of lobbies running when it ends, so that it finds them again at its next start. */
async function stopLobbies(place: Place): Promise<void> {
  const headers = { authorization: `Bearer ${place.adminToken}` };
  for (const { lobby_id } of await listLobbies(place)) {
    await fetch(`${place.url}${place.namespace}/lobbies/${lobby_id}`, { method: "DELETE", headers });
  }
  const haveEnded = async () =>
    (await listLobbies(place, "&include_stopped=true")).every(
      (lobby) => lobby.exit_code !== null || lobby.exit_signal !== null,
    );
  await until("the processes of the lobbies have ended", haveEnded);
}
