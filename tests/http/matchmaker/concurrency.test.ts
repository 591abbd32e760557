import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Arena,
  address,
  config,
  createArena,
  lobbyIdOf,
  type Matchmaker,
  startMatchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { type Answer, until } from "../../support/harness.ts";

/** Exact counts, from 64 connections at once. */
let matchmaker: Matchmaker;

beforeAll(async () => {
  matchmaker = await startMatchmaker("sqlite", { findWaitS: 3600, lobbyCreationBudget: 0 });
});
afterAll(() => matchmaker?.service.close());

const connections = 64;
const match = { game_modes: ["match"] };

async function arenaWith(mode: Record<string, unknown>): Promise<Arena> {
  const { service, runtime } = matchmaker;
  const arena = await createArena(service, config(mode));
  runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
  return arena;
}

/** All at once, `connections` of them at any time. */
async function atOnce(count: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) answers[index] = await ask(index);
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return answers;
}

/** How many answers there were of each outcome. */
function outcomes(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, json } of answers) {
    const outcome = status < 300 ? "ok" : String(json?.code);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const seatsByLobby = async (arena: Arena) => (await arena.lobbies()).map((lobby) => lobby.total_player_count);

describe("from 64 connections", { timeout: 240_000 }, () => {
  test("[1] finds and joins never exceed the caps of their kind", async () => {
    const arena = await arenaWith({ max_players: 20, max_players_direct: 30 });
    const lobbies = [await arena.ready(), await arena.ready(), await arena.ready()];
    const finds = await atOnce(200, () => arena.find());
    expect(outcomes(finds)).toEqual({ ok: 60, MATCHMAKER_NO_AVAILABLE_LOBBIES: 140 });
    expect(await seatsByLobby(arena)).toEqual([20, 20, 20]);
    const joins = await atOnce(200, (index) => arena.join(lobbies[index % 3]!.lobbyId));
    expect(outcomes(joins)).toEqual({ ok: 30, MATCHMAKER_LOBBY_FULL: 170 });
    expect(await seatsByLobby(arena)).toEqual([30, 30, 30]);
    expect(new Set([...finds, ...joins].filter(({ status }) => status === 200).flatMap(tokensOf)).size).toBe(90);
  });

  test("[1] [F6] finds and joins at the same time", async () => {
    const arena = await arenaWith({ max_players: 20, max_players_direct: 30 });
    const lobby = await arena.ready();
    const answers = await atOnce(256, (index) => (index % 2 === 0 ? arena.find() : arena.join(lobby.lobbyId)));
    const finds = outcomes(answers.filter((_, index) => index % 2 === 0));
    expect(finds.ok).toBeLessThanOrEqual(20);
    expect(await seatsByLobby(arena)).toEqual([30]);
  });

  test("[4] parties sit together or not at all", async () => {
    const arena = await arenaWith({ max_players: 10, max_players_direct: 10 });
    for (let count = 0; count < 5; count++) await arena.ready();
    const answers = await atOnce(128, () => arena.find({ party_size: 3 }));
    expect(outcomes(answers)).toEqual({ ok: 15, MATCHMAKER_NO_AVAILABLE_LOBBIES: 113 });
    expect(await seatsByLobby(arena)).toEqual([9, 9, 9, 9, 9]);
    for (const answer of answers.filter(({ status }) => status === 200)) expect(tokensOf(answer)).toHaveLength(3);
  });

  test("[5] [L4] one client has exactly as many seats as it may", async () => {
    const arena = await arenaWith({ max_players: 100, max_players_direct: 100 });
    await arena.limit({ max_players_per_client: 8 });
    const lobby = await arena.ready();
    const ask = (index: number) => {
      const client = `2001:db8:7:7::${(index + 1).toString(16)}`;
      return index % 2 === 0 ? arena.find({}, { client }) : arena.join(lobby.lobbyId, {}, { client });
    };
    expect(outcomes(await atOnce(64, ask))).toEqual({ ok: 8, MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE: 56 });
    expect(await seatsByLobby(arena)).toEqual([8]);
  });

  test("[14] [F8] N finds of capacity c create ⌈N/c⌉ lobbies, never a duplicate", async () => {
    const arena = await arenaWith({ max_players: 7, max_players_direct: 7 });
    const answers = await atOnce(200, () => arena.find(match));
    expect(outcomes(answers)).toEqual({ ok: 200 });
    expect((await seatsByLobby(arena)).sort()).toEqual([4, ...Array(28).fill(7)]);
    const { namespaceId } = arena.namespace;
    await until(() => matchmaker.runtime.starts.filter((start) => start.namespaceId === namespaceId).length === 29);
  });

  test("[15] [L2] lobby_count_max is exact for creates, finds and registrations together", async () => {
    const arena = await arenaWith({ max_players: 1, max_players_direct: 1 });
    await arena.limit({ lobby_count_max: 20 });
    const body = { game_mode: "duel", region: "local", ports: address };
    const ask = (index: number) =>
      index % 3 === 0
        ? arena.create()
        : index % 3 === 1
          ? arena.find(match)
          : arena.play("POST", "lobbies/register", body, { token: arena.server });
    expect(outcomes(await atOnce(200, ask))).toEqual({ ok: 20, MATCHMAKER_TOO_MANY_LOBBIES: 180 });
    expect(await arena.lobbies()).toHaveLength(20);
  });

  test("[16] [P1] of many connects with one token exactly one wins", async () => {
    const arena = await arenaWith({ max_players: 100, max_players_direct: 100 });
    const lobby = await arena.ready();
    const tokens = tokensOf(await arena.find({ party_size: 16 }));
    const answers = await atOnce(16 * 16, (index) => lobby.connect(tokens[index % 16]!));
    expect(outcomes(answers)).toEqual({ ok: 16, MATCHMAKER_PLAYER_ALREADY_CONNECTED: 240 });
    expect(await lobby.seen()).toMatchObject({ connected_count: 16, reserved_count: 0 });
    const left = await atOnce(16 * 8, (index) => lobby.disconnect(tokens[index % 16]!));
    expect(outcomes(left)).toEqual({ ok: 128 });
    expect(await seatsByLobby(arena)).toEqual([0]);
  });

  test("[16] [S2] connects at the deadline itself are all too late, and the seats are free once", async () => {
    const arena = await arenaWith({ max_players: 64, max_players_direct: 64 });
    const lobby = await arena.ready();
    const tokens = tokensOf(await arena.find({ party_size: 64 }));
    matchmaker.clock.advance(119_999);
    const early = await atOnce(32, (index) => lobby.connect(tokens[index]!));
    matchmaker.clock.advance(1);
    const late = await atOnce(64, (index) => (index % 2 === 0 ? lobby.connect(tokens[32 + index / 2]!) : arena.find()));
    expect(outcomes(early)).toEqual({ ok: 32 });
    expect(outcomes(late)).toEqual({ ok: 32, MATCHMAKER_PLAYER_RESERVATION_EXPIRED: 32 });
    expect(await lobby.seen()).toMatchObject({ connected_count: 32, reserved_count: 32 });
  });

  test("[18] many retries with one key at once take one seat", async () => {
    const arena = await arenaWith({ max_players: 3, max_players_direct: 3 });
    const answers = await atOnce(128, (index) => arena.find(match, { key: `key-${index % 4}` }));
    expect(outcomes(answers)).toEqual({ ok: 128 });
    expect(new Set(answers.flatMap(tokensOf)).size).toBe(4);
    expect((await seatsByLobby(arena)).sort()).toEqual([1, 3]);
  });

  test("[7] [9] no find that starts after a close was answered returns the lobby, and after an open it can", async () => {
    const arena = await arenaWith({ max_players: 10_000, max_players_direct: 10_000 });
    await arena.limit({ max_players: 10_000 });
    const lobby = await arena.ready();
    let isOver = false;
    /** Steps on each answered close and at the beginning of each open: odd while the lobby is surely closed. */
    let epoch = 0;
    let whileClosed = 0;
    const violations: string[] = [];
    const finder = async () => {
      while (!isOver) {
        const startedIn = epoch;
        const answer = await arena.find();
        if (startedIn % 2 === 0 || startedIn !== epoch) continue;
        whileClosed += 1;
        if (answer.status === 200) violations.push(lobbyIdOf(answer));
      }
    };
    const finders = Array.from({ length: connections - 1 }, finder);
    for (let turn = 0; turn < 6; turn++) {
      await lobby.setClosed(true);
      epoch += 1;
      const enough = whileClosed + connections / 2;
      await until(() => whileClosed >= enough);
      epoch += 1;
      await lobby.setClosed(false);
      expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    }
    isOver = true;
    await Promise.all(finders);
    expect(violations).toEqual([]);
    expect(whileClosed).toBeGreaterThanOrEqual(3 * connections);
  });

  test("[L3] limits are in force for every find that starts after their 204", async () => {
    const arena = await arenaWith({ max_players: 10_000, max_players_direct: 10_000 });
    await arena.limit({ max_players: 10_000 });
    await arena.ready();
    let isOver = false;
    let isForbidden = false;
    const violations: Answer[] = [];
    const finders = Array.from({ length: connections - 1 }, async () => {
      while (!isOver) {
        const began = isForbidden;
        const answer = await arena.find();
        if (began && isForbidden && answer.status === 200) violations.push(answer);
      }
    });
    for (let turn = 0; turn < 4; turn++) {
      await arena.limit({ max_players: 0 });
      isForbidden = true;
      const before = await seatsByLobby(arena);
      for (let count = 0; count < 5; count++) await arena.find();
      expect(await seatsByLobby(arena)).toEqual(before);
      isForbidden = false;
      await arena.limit({ max_players: 10_000 });
      expect((await arena.find()).status).toBe(200);
    }
    isOver = true;
    await Promise.all(finders);
    expect(violations).toHaveLength(0);
  });

  test("[DP1] finds while versions are deployed get a seat or a refusal that nothing fits, and never fail", async () => {
    const arena = await arenaWith({ max_players: 5_000, max_players_direct: 5_000 });
    await arena.limit({ max_players: 5_000 });
    await arena.ready();
    const other = await arena.deploy(config());
    let isOver = false;
    const answers: Answer[] = [];
    const finders = Array.from({ length: connections - 1 }, async () => {
      while (!isOver) answers.push(await arena.find());
    });
    for (let turn = 0; turn < 20; turn++) await arena.redeploy(turn % 2 === 0 ? arena.versionId : other);
    isOver = true;
    await Promise.all(finders);
    const { ok = 0, MATCHMAKER_NO_AVAILABLE_LOBBIES: none = 0, ...others } = outcomes(answers);
    expect(others).toEqual({});
    const [lobby] = await arena.lobbies();
    expect(lobby.total_player_count).toBe(ok);
    expect(ok + none).toBe(answers.length);
  });

  test("[ST6] finds while their namespace is deleted get a seat or TOKEN_INVALID", async () => {
    for (let round = 0; round < 3; round++) {
      const arena = await arenaWith({ max_players: 5_000, max_players_direct: 5_000 });
      const lobby = await arena.ready();
      let isOver = false;
      const answers: Answer[] = [];
      const finders = Array.from({ length: connections - 1 }, async () => {
        while (!isOver) answers.push(await arena.find(), await lobby.heartbeat());
      });
      await until(() => answers.length > connections);
      await matchmaker.service.admin("DELETE", `${arena.namespace.path}?force=true`);
      const after = await atOnce(connections, () => arena.find());
      isOver = true;
      await Promise.all(finders);
      expect(outcomes(after)).toEqual({ TOKEN_INVALID: connections });
      const { ok: _, TOKEN_INVALID: __, MATCHMAKER_NO_AVAILABLE_LOBBIES: ___, ...others } = outcomes(answers);
      expect(others).toEqual({});
    }
  });
});
