import { describe, expect, test } from "vitest";
import { apply } from "../../src/matchmaker/apply.ts";
import type { CreateLobby, Find } from "../../src/matchmaker/commands.ts";
import { createState, type State } from "../../src/matchmaker/state.ts";
import { anyLobby } from "../support/any-lobby.ts";

const namespaceId = "cccccccc-0000-7000-8000-00000000000c";
const now = 1_700_000_000_000;

/** So many ready lobbies of two sizes and varied fullness, one in ten of them tagged. */
function crowded(lobbyCount: number): State {
  const state = createState(namespaceId);
  const limits = { lobbyCountMax: 1e9, maxPlayers: 1e9, maxPlayersPerClient: null };
  const idleMinimums = [{ gameMode: "duel", region: "local", min: 3 }];
  apply(state, { type: "configure", namespaceId, now, revision: 1, limits, deployedVersionId: "v", idleMinimums });
  for (let i = 0; i < lobbyCount; i++) {
    apply(state, create(i));
    apply(state, { type: "setReady", namespaceId, now: now + i, lobbyId: `lobby-${i}` });
  }
  return state;
}

function create(i: number): CreateLobby {
  const size = i % 2 === 0 ? 8 : 12;
  const playerIds = Array.from({ length: i % 8 }, (_, seat) => `player-${i}-${seat}`);
  const timeouts = { readyMs: 1e9, reservationMs: 1e9, emptyMs: 1e9 };
  const tags: Record<string, string> = i % 10 === 0 ? { map: "ice" } : {};
  const place = { lobbyId: `lobby-${i}`, versionId: "v", gameMode: "duel", region: "local" };
  const lobby = { ...anyLobby, ...place, maxPlayers: size, maxPlayersDirect: size, tags, ...timeouts };
  const base = { namespaceId, now: now + i, revision: 1, clientId: "192.0.2.1", idempotency: null };
  return { ...base, type: "createLobby", reason: "created", lobby, playerIds };
}

/** How many items all ordered sets of the state have looked at. */
function steps(state: State): number {
  let sum = state.timers.steps + state.lobbiesById.steps;
  for (const pool of state.pools.values()) {
    sum += pool.idle.steps + pool.listed.steps;
    for (const group of pool.groups.values()) for (const sized of group.sizes) sum += sized.lobbies.steps;
  }
  return sum;
}

function costOfFinds(state: State): number {
  const before = steps(state);
  for (let i = 0; i < 50; i++) {
    const find: Find = {
      type: "find",
      namespaceId,
      now: now + 1e6,
      revision: 1,
      clientId: "192.0.2.2",
      pairs: [{ gameMode: "duel", region: "local" }],
      tags: i % 3 === 0 ? { map: "ice" } : {},
      playerIds: Array.from({ length: 1 + (i % 4) }, (_, seat) => `finder-${i}-${seat}`),
      create: null,
      createRefusal: "NO_AVAILABLE_LOBBIES",
      idempotency: null,
    };
    expect(apply(state, find).outcome.ok).toBe(true);
  }
  return (steps(state) - before) / 50;
}

describe("scaling", () => {
  test("[F11] what a find looks at grows with the logarithm of the number of lobbies", () => {
    const [few, many] = [costOfFinds(crowded(250)), costOfFinds(crowded(4000))];
    // Four doublings more: each of the handful of searches in a find takes about four steps more.
    expect(many - few).toBeLessThan(200);
    expect(many).toBeLessThan(3 * few);
  });
});
