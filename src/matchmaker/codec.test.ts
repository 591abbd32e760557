import { expect, test } from "vitest";
import { loadState } from "./changes.ts";
import { encodeKey, encodeLobby, encodeNamespace, encodePlayer, storedFields } from "./codec.ts";
import { recordFormat } from "./record-format.ts";
import { newKey, newPlayer } from "./record-makers.ts";
import { type Lobby, peakSeats } from "./records.ts";
import { keyFields, lobbyFields, namespaceFields, playerFields } from "./schema.ts";

const lobbyId = "00000000-0000-7000-8000-000000000001";
const pair = ["aaaaaaaa-0000-7000-8000-000000000001", "duel", "local"];
const times = [300_000, 120_000, 0, 30_000];
/** As it was written before lobbies kept their peak. */
const firstLayout = [
  ...[1, ...pair, 4, 4, 8, { map: "ice" }, ...times, "{}", null, '{"round":3}'],
  ...["found", "192.0.2.1", 1000, "ready", 2000, null, 1000, null, null, null],
];
const secondLayout = [2, ...firstLayout.slice(1), 3, "node-1"];
/** The same as the first layout, in the order of schema.ts. */
const thirdFormat = [
  ...[3, ...pair, 4, 4, 0, 0, 1, { map: "ice" }, ...times, null, "found", "192.0.2.1", 1000, "{}", '{"round":3}'],
  ...[null, null, "ready", 0, null, 2000, null, 1000, 0, null, null],
];
const seat = [1, lobbyId, "192.0.2.1", 1000, "connected", 2000, null, 0];

function load(row: readonly unknown[], ...seats: (readonly unknown[])[]): Lobby {
  const players = seats.map((seat, at) => ({ entity: "player", id: `player-${at}`, row: seat }) as const);
  return loadState("namespace", [{ entity: "lobby", id: lobbyId, row }, ...players]).lobbies.get(lobbyId)!;
}

const rowOf = (lobby: Lobby): unknown[] => JSON.parse(encodeLobby(lobby));

test("[Q8] a lobby that was stored before peaks were kept has as its peak the seats that are taken now", () => {
  const lobby = load(firstLayout, seat);
  expect(peakSeats(lobby)).toBe(1);
  // Later formats only add to it.
  expect(rowOf(lobby).slice(1, thirdFormat.length)).toEqual(thirdFormat.slice(1));
});

test("[SC1] a lobby and a seat that were stored before seats could be held hold none", () => {
  const lobby = load(thirdFormat, seat);
  expect(lobby).toMatchObject({ reconnectMs: 0, held: 0, connected: 1 });
  expect(lobby.players[0]).toMatchObject({ heldAt: null, status: "connected" });
  expect(load(rowOf({ ...lobby, reconnectMs: 5000 })).reconnectMs).toBe(5000);
});

test("[CL9] a lobby that was stored before the operator's flag does not have it, and each reason is stored", () => {
  const lobby = load(firstLayout);
  expect(lobby.operatorClose).toBe(null);
  for (const operatorClose of ["operator", "token_revoked", null] as const) {
    expect(load(rowOf({ ...lobby, operatorClose }))).toMatchObject({ operatorClose, isClosed: false });
  }
});

test("[SC1] every flag of an earlier layout is read, each by itself", () => {
  const flags = { isExternal: 1, isPrivate: 2, isClosed: 4, isJoinable: 8 };
  for (const [name, bit] of Object.entries(flags)) {
    const lobby = load(secondLayout.with(6, bit));
    expect(lobby).toMatchObject({
      isExternal: false,
      isPrivate: false,
      isClosed: false,
      isJoinable: false,
      [name]: true,
    });
    expect(lobby).toMatchObject({ peakBefore: 3, nodeId: "node-1", operatorClose: null });
  }
  expect(load(secondLayout.with(6, 16)).operatorClose).toBe("operator");
  expect(load(secondLayout.with(6, 32)).operatorClose).toBe("token_revoked");
});

test("[DU2] a lobby of a format that does not exist yet is refused, and so is one with another number of fields", () => {
  expect(() => load([recordFormat + 1, ...thirdFormat.slice(1)])).toThrow(/format \d+ .* written by a newer Foyer/);
  expect(() => load(thirdFormat.slice(0, -1))).toThrow(/format 3 with 30 fields/);
  expect(() => load([0, ...thirdFormat.slice(1)])).toThrow(/format 0/);
});

/** Rows are lists: one that was written in this order must be read in this order, whatever is added. */
test("[SC1] the fields of format 3 are where they were", () => {
  const names = (fields: Parameters<typeof storedFields>[0]) => storedFields(fields, 3).map(([name]) => name);
  expect(names(namespaceFields).join(" ")).toBe(
    "revision lobbyCountMax maxPlayers maxPlayersPerClient deployedVersionId idleMinimums removedAt",
  );
  expect(names(playerFields).join(" ")).toBe("lobbyId clientId reservedAt status connectedAt endedAt isMissing");
  expect(names(keyFields).join(" ")).toBe("bodyHash lobbyId playerIds createdAt");
  expect(names(lobbyFields).join(" ")).toBe(
    "versionId gameMode region maxPlayers maxPlayersDirect isExternal isPrivate isJoinable tags readyMs reservationMs " +
      "heartbeatMs emptyMs lobbyConfig createReason createdBy createdAt ports state exit nodeId status isClosed " +
      "operatorClose readyAt silentSince emptySince peakBefore stoppedAt stopReason",
  );
});

test("[SC1] [CO1] a lobby that was stored before there were codes has none, and a code is stored", () => {
  const lobby = load(thirdFormat);
  expect(lobby.code).toBe(null);
  expect(load(rowOf({ ...lobby, code: "BCDFGH" })).code).toBe("BCDFGH");
});

test("[SC1] a row is JSON, whatever its texts hold", () => {
  const odd = 'a "b" \\ \u0000\n\t\u2028 \ud800 🎲';
  const key = newKey(odd, { bodyHash: odd, lobbyId, playerIds: [odd] }, 5);
  expect(JSON.parse(encodeKey(key))).toEqual([recordFormat, odd, lobbyId, [odd], 5]);
  const player = newPlayer("p", { lobbyId, clientId: odd, playerKey: odd }, 7);
  const row: unknown[] = JSON.parse(encodePlayer(player));
  expect(row.slice(0, 8)).toEqual([recordFormat, lobbyId, odd, 7, "reserved", null, null, 0]);
  expect(row).toContain(odd);
  const limits = { lobbyCountMax: 1, maxPlayers: 4_294_967_295, maxPlayersPerClient: null };
  const namespace = {
    revision: 2,
    ...limits,
    deployedVersionId: null,
    idleMinimums: new Map([[odd, 3]]),
    removedAt: 9,
  };
  expect(JSON.parse(encodeNamespace(namespace))).toEqual([
    recordFormat,
    2,
    1,
    4_294_967_295,
    null,
    null,
    [[odd, 3]],
    9,
  ]);
  expect(encodeKey(key)).not.toMatch(/[\n\t]/);
});
