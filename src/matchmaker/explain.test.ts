import { describe, expect, test } from "vitest";
import { anyLobby } from "../../tests/support/any-lobby.ts";
import { apply } from "./apply.ts";
import type { CreateLobby, Explanation, Find } from "./commands.ts";
import { explainFind } from "./explain.ts";
import { createState, type State } from "./state.ts";

const namespaceId = "cccccccc-0000-7000-8000-00000000000c";
const now = 1_700_000_000_000;
const limits = { lobbyCountMax: 1e9, maxPlayers: 1e9, maxPlayersPerClient: null };
const regionCount = 3;

/** So many ready lobbies over a few regions, sizes, tags and two versions; every seventh is closed. */
function crowded(lobbyCount: number): State {
  const state = createState(namespaceId);
  deploy(state, "v1", 1);
  for (let i = 0; i < lobbyCount; i++) {
    if (i === Math.floor(lobbyCount / 2)) deploy(state, "v2", 2);
    const lobbyId = `lobby-${i}`;
    apply(state, create(i, i < Math.floor(lobbyCount / 2) ? 1 : 2));
    apply(state, { type: "setReady", namespaceId, now: now + i, lobbyId });
    if (i % 7 === 0) apply(state, { type: "setClosed", namespaceId, now: now + i, lobbyId, isClosed: true });
  }
  return state;
}

function deploy(state: State, deployedVersionId: string, revision: number): void {
  apply(state, { type: "configure", namespaceId, now, revision, limits, deployedVersionId, idleMinimums: [] });
}

function create(i: number, revision: 1 | 2): CreateLobby {
  const maxPlayers = 6 + (i % 5);
  const tags: Record<string, string> = { ...(i % 2 === 0 && { map: "ice" }), ...(i % 3 === 0 && { mood: "calm" }) };
  const lobby = {
    ...anyLobby,
    lobbyId: `lobby-${i}`,
    versionId: `v${revision}`,
    region: `region-${i % regionCount}`,
    maxPlayers,
    maxPlayersDirect: maxPlayers,
    isExternal: true,
    isPrivate: i % 11 === 0,
    tags,
    readyMs: 1e9,
    reservationMs: 1e9,
    emptyMs: 1e9,
  };
  const playerIds = Array.from({ length: i % 6 }, (_, seat) => `player-${i}-${seat}`);
  const base = { namespaceId, now: now + i, revision, clientId: "192.0.2.1", idempotency: null };
  return { ...base, type: "createLobby", reason: "created", lobby, playerIds };
}

/** What an explanation looks at, counted by the ordered sets; those that were closed are counted by the candidates. */
function costOf(state: State, tags: Record<string, string>): { steps: number; explanation: Explanation } {
  const pairs = Array.from({ length: regionCount }, (_, i) => ({ gameMode: "duel", region: `region-${i}` }));
  const request: Find = {
    type: "find",
    namespaceId,
    now: now + 1e6,
    revision: 2,
    clientId: "192.0.2.2",
    pairs,
    tags,
    playerIds: ["finder-1", "finder-2"],
    create: null,
    createRefusal: "NO_AVAILABLE_LOBBIES",
    idempotency: null,
  };
  const before = steps(state);
  const explanation = explainFind(state, state.namespace!, request, null);
  return { steps: steps(state) - before, explanation };
}

function steps(state: State): number {
  let sum = 0;
  for (const pool of state.pools.values()) {
    for (const group of pool.groups.values()) for (const sized of group.sizes) sum += sized.lobbies.steps;
  }
  return sum;
}

describe("explaining", () => {
  const [some, many] = [crowded(2000), crowded(8000)];

  test.each([[{}], [{ map: "ice" }], [{ map: "ice", mood: "calm" }], [{ map: "lava" }]])(
    "[X5] the effort for %j does not grow with the number of lobbies",
    (tags) => {
      const few = costOf(some, tags);
      const more = costOf(many, tags);
      // Two doublings more: a few steps more in each of the searches that find where a walk begins.
      expect(more.steps).toBeLessThan(Math.max(4_500, 1.5 * few.steps));
      for (const { explanation } of [few, more]) {
        expect(explanation.candidates).toHaveLength(20);
        expect(explanation.hasMore).toBe(true);
        expect(explanation.privateCount).toBeGreaterThan(0);
      }
    },
  );

  test("[X5] many pairs together cost no more than the bound", () => {
    const state = createState(namespaceId);
    deploy(state, "v1", 1);
    for (let i = 0; i < 3000; i++) {
      const command = create(i, 1);
      apply(state, { ...command, lobby: { ...command.lobby, region: `region-${i % 60}`, isPrivate: false } });
    }
    const pairs = Array.from({ length: 60 }, (_, i) => ({ gameMode: "duel", region: `region-${i}` }));
    const request = { clientId: "c", pairs, tags: {}, playerIds: ["p"], create: null } as const;
    const before = steps(state);
    explainFind(state, state.namespace!, { ...request, createRefusal: "NO_AVAILABLE_LOBBIES" }, null);
    expect(steps(state) - before).toBeLessThan(4_000 + 60 * 100);
  });
});
