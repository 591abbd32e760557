import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteJournal, type SqliteJournal } from "../src/engine/memory/sqlite-journal.ts";
import { createIds } from "../src/ground/ids.ts";
import { createDerivedTokens } from "../src/ground/tokens.ts";
import { apply } from "../src/matchmaker/apply.ts";
import { changeLine, encodeRecord, loadState } from "../src/matchmaker/changes.ts";
import { encodePlayer } from "../src/matchmaker/codec.ts";
import { newPlayer } from "../src/matchmaker/record-makers.ts";
import type { State } from "../src/matchmaker/state.ts";
import { anyLobby } from "../tests/support/any-lobby.ts";
import { bearer, send } from "./requests.ts";
import { serveFoyer } from "./server-process.ts";

/** A data folder as a service with many lobbies would have left it. */
export interface World {
  readonly folder: string;
  readonly publicToken: string;
  /** Open lobbies of the mode `duel`. */
  readonly lobbyIds: readonly string[];
  lobbyTokenOf(lobbyId: string): string;
  remove(): void;
}

export interface WorldSize extends LobbyShape {
  /** Open lobbies of each of the two modes: `duel`, and `tagged`, whose lobbies have two tags each. */
  readonly lobbies: number;
  readonly taggedLobbies: number;
  /** Connected players in each lobby of the mode `duel`. */
  readonly playersPerLobby: number;
}

export interface LobbyShape {
  /** Seats of each lobby; absent: so many that no benchmark fills one. */
  readonly seats?: number;
  /** How long a seat waits for its player; absent: an hour. */
  readonly reservationMs?: number;
}

/** The namespace is made through the API; lobbies go straight into the journal, for a million would take long otherwise. */
export async function makeWorld(size: WorldSize): Promise<World> {
  const folder = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "foyer-bench-"));
  const made = await makeNamespace(folder);
  const lobbyIds = await fillJournal(folder, made, size);
  const secret = Buffer.from(readFileSync(join(folder, "secret"), "utf8").trim(), "hex");
  const tokens = createDerivedTokens(secret, null);
  return {
    folder,
    publicToken: made.publicToken,
    lobbyIds,
    lobbyTokenOf: (lobbyId) => tokens.make({ kind: "lobby", namespaceId: made.namespaceId, lobbyId }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** So large that no benchmark fills a lobby: each find takes a seat, and there may be as few as 100 lobbies. */
const maxPlayers = 100_000;

/** Any value of the first and any of the second tag are together in one of 128 lobbies. */
export const tagsOf = (index: number) => ({ map: `map-${index % 16}`, skill: `skill-${Math.floor(index / 16) % 8}` });

interface Made {
  readonly namespaceId: string;
  readonly versionId: string;
  readonly publicToken: string;
}

async function makeNamespace(folder: string): Promise<Made> {
  const foyer = await serveFoyer(folder);
  const admin = bearer(readFileSync(join(folder, "admin-token"), "utf8").trim());
  const post = async (path: string, body: unknown) =>
    JSON.parse((await send("POST", `${foyer.url}/cloud/games${path}`, admin, body)).body) as Record<string, string>;
  try {
    await post("", { display_name: "Bench", name_id: "bench" });
    const mode = {
      max_players: maxPlayers,
      timeouts: { reservation_s: 3600, heartbeat_s: 0 },
      runtime: { external: {} },
    };
    const config = {
      regions: { local: { display_name: "Local" } },
      game_modes: { duel: mode, tagged: { ...mode, taggable: true } },
    };
    const { version_id } = await post("/bench/versions", { display_name: "1", config });
    const { namespace_id } = await post("/bench/namespaces", { display_name: "Prod", name_id: "prod", version_id });
    const limits = { lobby_count_max: 10_000_000, max_players: maxPlayers };
    await send("POST", `${foyer.url}/cloud/games/bench/namespaces/prod/mm-config`, admin, limits);
    const { token } = await post("/bench/namespaces/prod/tokens/public", {});
    return { namespaceId: namespace_id!, versionId: version_id!, publicToken: token! };
  } finally {
    await foyer.stop();
  }
}

async function fillJournal(folder: string, made: Made, size: WorldSize): Promise<string[]> {
  const { namespaceId } = made;
  const journal = createSqliteJournal({ dataDir: folder });
  const stored = await journal.load();
  const state = loadState(namespaceId, stored.get(namespaceId) ?? []);
  const lobbyIds = addLobbies(state, made, size);
  await appendAll(journal, namespaceId, lobbiesOf(state));
  await appendAll(journal, namespaceId, connectedPlayers(lobbyIds, size.playersPerLobby));
  await journal.close();
  return lobbyIds;
}

async function appendAll(journal: SqliteJournal, namespaceId: string, lines: Iterable<string>): Promise<void> {
  let group: string[] = [];
  const append = () => journal.append(namespaceId, { count: group.length, text: group.join("") });
  for (const line of lines) {
    group.push(line);
    if (group.length < 1000) continue;
    void append();
    group = [];
    if (journal.isBehind()) await journal.flush();
  }
  await append();
}

function* lobbiesOf(state: State): Iterable<string> {
  for (const id of state.lobbies.keys()) yield changeLine("lobby", id, encodeRecord(state, "lobby", id));
}

/** Each with an address of its own. Straight as rows, for a million of them would take the rules a while. */
function* connectedPlayers(lobbyIds: readonly string[], perLobby: number): Iterable<string> {
  const newId = createIds(Date.now);
  const now = Date.now();
  let count = 0;
  for (const lobbyId of lobbyIds) {
    for (let i = 0; i < perLobby; i++, count++) {
      const clientId = `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
      const player = newPlayer(newId(), { lobbyId, clientId, playerKey: null }, now);
      Object.assign(player, { status: "connected", connectedAt: now });
      yield changeLine("player", player.id, encodePlayer(player));
    }
  }
}

function addLobbies(state: State, { namespaceId, versionId }: Made, size: WorldSize): string[] {
  const newId = createIds(Date.now);
  const now = Date.now();
  const revision = state.namespace!.revision;
  const common = { namespaceId, now, revision };
  const add = (gameMode: string, tags: Record<string, string>, index: number) => {
    const lobbyId = newId();
    const port = 20_000 + (index % 10_000);
    const ports = { default: { hostname: "game.example.com", host: `game.example.com:${port}`, port, is_tls: true } };
    const lobby = {
      ...anyLobby,
      lobbyId,
      versionId,
      gameMode,
      maxPlayers: size.seats ?? maxPlayers,
      maxPlayersDirect: size.seats ?? maxPlayers,
      isExternal: true,
      tags,
      readyMs: 300_000,
      reservationMs: size.reservationMs ?? 3_600_000,
      emptyMs: 30_000,
      ports: JSON.stringify(ports),
    };
    const of = { clientId: null, playerIds: [], idempotency: null };
    apply(state, { type: "createLobby", reason: "registered", ...common, ...of, lobby });
    apply(state, { type: "setReady", ...common, lobbyId });
    return lobbyId;
  };

  const lobbyIds = Array.from({ length: size.lobbies }, (_, index) => add("duel", {}, index));
  for (let index = 0; index < size.taggedLobbies; index++) add("tagged", tagsOf(index), index);
  return lobbyIds;
}
