import { expect, test } from "vitest";
import { loadState } from "./changes.ts";
import { lobbyRow } from "./codec.ts";
import { peakSeats } from "./records.ts";

const lobbyId = "00000000-0000-7000-8000-000000000001";
const pair = ["aaaaaaaa-0000-7000-8000-000000000001", "duel", "local"];
const times = [300_000, 120_000, 0, 30_000];
/** As it was written before lobbies kept their peak. */
const firstLayout = [
  ...[1, ...pair, 4, 4, 8, {}, ...times, null, null, null],
  ...["found", "192.0.2.1", 1000, "ready", 2000, null, 1000, null, null, null],
];
const seat = [1, lobbyId, "192.0.2.1", 1000, "connected", 2000, null, 0];

test("[Q8] a lobby that was stored before peaks were kept has as its peak the seats that are taken now", () => {
  const state = loadState("namespace", [
    { entity: "lobby", id: lobbyId, value: firstLayout },
    { entity: "player", id: "00000000-0000-7000-8000-000000000002", value: seat },
  ]);
  const lobby = state.lobbies.get(lobbyId)!;
  expect(peakSeats(lobby)).toBe(1);
  expect(lobbyRow(lobby)).toEqual([2, ...firstLayout.slice(1), 0, null]);
});

test("[CL9] a lobby that was stored before the operator's flag does not have it, and each reason is stored", () => {
  const load = (value: readonly unknown[]) =>
    loadState("namespace", [{ entity: "lobby", id: lobbyId, value }]).lobbies.get(lobbyId)!;
  const lobby = load(firstLayout);
  expect(lobby.operatorClose).toBe(null);
  for (const operatorClose of ["operator", "token_revoked", null] as const) {
    expect(load(lobbyRow({ ...lobby, operatorClose }))).toMatchObject({ operatorClose, isClosed: false });
  }
});

test("[DU2] a lobby of a layout that does not exist yet is refused", () => {
  const load = () =>
    loadState("namespace", [{ entity: "lobby", id: lobbyId, value: [3, ...firstLayout.slice(1), 0, null] }]);
  expect(load).toThrow(/layout 3 .* written by a newer Foyer/);
});
