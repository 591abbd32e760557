import { expect, test } from "vitest";
import { config, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectEmpty, expectRefusal } from "../../support/expectations.ts";
import type { Answer } from "../../support/harness.ts";
import { startedLobbies } from "../../support/started-lobbies.ts";

const match = { game_modes: ["match"] };

/** Creating lobbies, by create and by find: sizes, what a game mode allows, and the budget of a client. */
export function creatingTests(at: () => Matchmaker): void {
  const { arenaWith, startsIn, readyAtOnce } = startedLobbies(at);

  test("create always makes a new lobby, public or private, and reserves the party's seats", async () => {
    const arena = await arenaWith({ max_players: 3 });
    readyAtOnce(arena);
    const open = await arena.create({ publicity: null, region: null, party_size: 2 });
    const hidden = await arena.create({ publicity: "private" });
    expect(lobbyIdOf(open)).not.toBe(lobbyIdOf(hidden));
    expect(tokensOf(open)).toHaveLength(2);
    const lobbies = await arena.lobbies();
    expect(lobbies.map(({ publicity, region_id }) => [publicity, region_id])).toEqual([
      ["public", "local"],
      ["private", "local"],
    ]);
    expect(lobbyIdOf(await arena.find(match))).toBe(lobbyIdOf(open));
    expect(lobbyIdOf(await arena.join(lobbyIdOf(hidden)))).toBe(lobbyIdOf(hidden));
  });

  test("create refuses what the mode does not allow, and creates nothing", async () => {
    const { match: process } = config().game_modes;
    const closed = { ...process, actions: {} };
    const quiet = { ...process, actions: { create: { enabled: true, public: false } } };
    const sized = { ...process, allow_dynamic_max_players: true };
    const arena = await arenaWith({}, { closed, quiet, sized });
    const refused: [body: Record<string, unknown>, code: Parameters<typeof expectRefusal>[1]][] = [
      [{ game_mode: "nothing" }, "MATCHMAKER_GAME_MODE_NOT_FOUND"],
      [{ game_mode: "duel" }, "MATCHMAKER_CREATE_DISABLED"],
      [{ game_mode: "closed" }, "MATCHMAKER_CREATE_DISABLED"],
      [{ game_mode: "quiet", publicity: "public" }, "MATCHMAKER_PUBLICITY_NOT_ALLOWED"],
      [{ region: "nowhere" }, "MATCHMAKER_REGION_NOT_FOUND"],
      [{ max_players: 2 }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED"],
      [{ game_mode: "sized", max_players: 0 }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"],
      [{ game_mode: "sized", max_players: 5 }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID"],
      [{ party_size: 3 }, "MATCHMAKER_NO_AVAILABLE_LOBBIES"],
      [{ lobby_config: "x".repeat(16 * 1024 - 1) }, "MATCHMAKER_LOBBY_CONFIG_INVALID"],
    ];
    for (const [body, code] of refused) expectRefusal(await arena.create(body), code);
    for (const size of [0, 5]) {
      const answer = await arena.find({ game_modes: ["sized"], max_players: size });
      expectRefusal(answer, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID");
    }
    expectRefusal(await arena.find({ ...match, party_size: 3 }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.find({ ...match, prevent_auto_create_lobby: true }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.find({ game_modes: ["duel"] }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(await arena.lobbies("?include_stopped=true")).toEqual([]);
    expect(startsIn(arena)).toEqual([]);
  });

  test("max_players of a find sizes the lobby that it creates and never filters", async () => {
    const { match: process } = config().game_modes;
    const arena = await arenaWith({}, { sized: { ...process, allow_dynamic_max_players: true } });
    readyAtOnce(arena);
    const sized = { game_modes: ["sized"] };
    const first = await arena.find({ ...sized, max_players: 4 });
    expect(lobbyIdOf(await arena.find({ ...sized, max_players: 1 }))).toBe(lobbyIdOf(first));
    expect(lobbyIdOf(await arena.find(sized))).toBe(lobbyIdOf(first));
    const [lobby] = await arena.lobbies();
    expect(lobby).toMatchObject({ max_players_normal: 4, max_players_direct: 4, total_player_count: 3 });
  });

  test("one client's finds create at most ten lobbies a minute; fitting finds and other clients are not affected", async () => {
    const arena = await arenaWith({ max_players: 1, max_players_direct: 1 });
    readyAtOnce(arena);
    const client = "198.51.100.7";
    const answers: Answer[] = await Promise.all(Array.from({ length: 14 }, () => arena.find(match, { client })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(refused, "API_RATE_LIMIT");
      expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    }
    expect((await arena.find(match, { client: "198.51.100.8" })).status).toBe(200);
    expect((await arena.find(match)).status).toBe(200);
    const seated = answers.find(({ status }) => status === 200)!;
    const { lobbyId, env } = at().runtime.startOf(lobbyIdOf(seated));
    expectEmpty(await arena.lobby(lobbyId, env.FOYER_TOKEN!).disconnect(tokensOf(seated)[0]!));
    expect(lobbyIdOf(await arena.find(match, { client }))).toBe(lobbyId);
    at().clock.advance(60_000);
    expect((await arena.find(match, { client })).status).toBe(200);
  });
}
