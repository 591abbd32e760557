import { createIds } from "../src/ground/ids.ts";
import { apply } from "../src/matchmaker/apply.ts";
import { loadState, type StoredRecord } from "../src/matchmaker/changes.ts";
import { createState, type State } from "../src/matchmaker/state.ts";
import { anyLobby } from "../tests/support/any-lobby.ts";
import { allRecords } from "../tests/support/state-hash.ts";
import type { Measured } from "./memory.ts";

// Fills one namespace by commands, and again from its rows as after a restart, and says what each lobby and player took.
const lobbyCount = 100_000;
const playersPerLobby = 10;
const makeId = createIds(Date.now);
// An id is put together from parts. The service has written it out, into tokens and journal, by the time it is kept.
const newId = () => flat(makeId());
const namespaceId = newId();
const versionId = newId();
const now = Date.now();
const limits = { lobbyCountMax: lobbyCount, maxPlayers: 100, maxPlayersPerClient: null };
const measured: Measured[] = [];

const state = createState(namespaceId);
const common = { namespaceId, now, revision: 1 };
apply(state, { type: "configure", ...common, limits, deployedVersionId: versionId, idleMinimums: [] });
const lobbyIds: string[] = [];
measure("lobby, registered", lobbyCount, () => {
  for (let i = 0; i < lobbyCount; i++) lobbyIds.push(addLobby(i));
});
measure("player, seated and connected", lobbyCount * playersPerLobby, () => {
  lobbyIds.forEach((lobbyId, index) => {
    for (let i = 0; i < playersPerLobby; i++) addPlayer(lobbyId, index * playersPerLobby + i);
  });
});
const texts = allRecords(state).map((record) => JSON.stringify(record));
const loaded: State[] = [];
measure("lobby with its ten players, after a restart", lobbyCount, () => {
  loaded.push(loadState(namespaceId, parsed(texts)));
});
console.log(JSON.stringify(measured));

function measure(what: string, count: number, fill: () => void): void {
  const before = settled();
  fill();
  const after = settled();
  measured.push({ what, heap: (after.heapUsed - before.heapUsed) / count, resident: (after.rss - before.rss) / count });
}

function settled(): NodeJS.MemoryUsage {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage();
}

function addLobby(index: number): string {
  const lobbyId = newId();
  const host = { hostname: "game.example.com", port: 20_000 + (index % 10_000), is_tls: true };
  const lobby = {
    ...anyLobby,
    lobbyId,
    versionId,
    maxPlayers: 100,
    maxPlayersDirect: 100,
    isExternal: true,
    readyMs: 300_000,
    reservationMs: 120_000,
    emptyMs: 30_000,
    ports: JSON.stringify({ default: host }),
  };
  const nobody = { clientId: null, playerIds: [], idempotency: null };
  apply(state, { type: "createLobby", reason: "registered", ...common, ...nobody, lobby });
  apply(state, { type: "setReady", ...common, lobbyId });
  return lobbyId;
}

/** Each from an address of its own. */
function addPlayer(lobbyId: string, index: number): void {
  const playerId = newId();
  const clientId = flat(`10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`);
  apply(state, { type: "join", ...common, lobbyId, clientId, playerIds: [playerId], idempotency: null });
  apply(state, { type: "connectPlayer", ...common, lobbyId, playerId });
}

function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

function* parsed(texts: readonly string[]): Iterable<StoredRecord> {
  for (const text of texts) yield JSON.parse(text) as StoredRecord;
}
