import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";

/** Why calls were refused, as long as a node remembers it. */
export function decisionsTests(at: () => Matchmaker): void {
  const ask = (arena: Arena, query = "") =>
    at().service.request("GET", `${arena.namespace.path}/decisions${query}`, { token: at().service.adminToken });
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  const list = async (arena: Arena, query = ""): Promise<any[]> => (await ask(arena, query)).json.decisions;
  const outcomes = (decisions: { operation: string; outcome: string; count: number }[]) =>
    decisions.map(({ operation, outcome, count }) => `${operation} ${outcome} ${count}`);

  test("[DE1] a refused call is listed at once with what it asked for and why it was refused then", async () => {
    const arena = await createArena(at().service);
    const closed = await arena.ready({ tags: { map: "ice" } });
    await closed.setClosed(true);
    const body = { regions: ["local"], tags: { map: "ice" }, party_size: 2 };
    const explained = (await arena.find({ ...body, explain: true })).json.metadata.explain;
    at().clock.advance(1_000);
    expectRefusal(await arena.find(body), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await closed.setClosed(false);
    const [decision, ...more] = await list(arena);
    expect(more).toHaveLength(1);
    expect(decision).toEqual({
      decision_id: expect.any(String),
      at: new Date(at().clock.now()).toISOString(),
      operation: "find",
      asked: { game_modes: ["duel"], regions: ["local"], tags: { map: "ice" }, seats: 2 },
      outcome: "MATCHMAKER_NO_AVAILABLE_LOBBIES",
      count: 1,
      waited_ms: 0,
      explain: explained,
    });
    expect(explained.candidates[0]).toMatchObject({ lobby_id: closed.lobbyId, codes: ["closed"] });
  });

  test("[DE1] every refusal of the matchmaker is listed, also of join and create; those of others are not", async () => {
    const arena = await createArena(at().service);
    const lobby = await arena.ready();
    await arena.find();
    await arena.find({ dry_run: true, game_modes: ["none"] });
    await arena.find({ game_modes: ["none"] });
    await arena.join(lobby.lobbyId, { party_size: 64 });
    await arena.create({ game_mode: "duel" });
    await arena.find({ party_size: 0 });
    await arena.find({}, { key: "no spaces please" });
    expect(outcomes(await list(arena))).toEqual([
      "create MATCHMAKER_CREATE_DISABLED 1",
      "join MATCHMAKER_LOBBY_FULL 1",
      "find MATCHMAKER_GAME_MODE_NOT_FOUND 1",
    ]);
    expect((await list(arena))[1].asked).toEqual({ seats: 64, lobby_id: lobby.lobbyId });
    expect(outcomes(await list(arena, "?outcome=MATCHMAKER_LOBBY_FULL"))).toHaveLength(1);
    expect(outcomes(await list(arena, "?game_mode=duel"))).toEqual(["create MATCHMAKER_CREATE_DISABLED 1"]);
  });

  test("[DE1] a call that made a lobby is listed with the lobby and how long it waited", async () => {
    const arena = await createArena(at().service, config({ max_players: 1 }));
    at().runtime.onceStarted = () => {};
    const creating = arena.find({ game_modes: ["match"] });
    await until(async () => (await arena.lobbies())[0]?.ports.default !== undefined);
    const [{ lobby_id }] = await arena.lobbies();
    at().clock.advance(1_500);
    const token = at().service.derive({ kind: "lobby", namespaceId: arena.namespace.namespaceId, lobbyId: lobby_id });
    await arena.lobby(lobby_id, token).ready();
    expect(lobbyIdOf(await creating)).toBe(lobby_id);
    const [decision] = await list(arena);
    expect(decision).toMatchObject({ operation: "find", outcome: "CREATED", lobby_id, count: 1 });
    expect(decision.waited_ms).toBeGreaterThanOrEqual(1_500);
  });

  test("[DE2] [DE4] equal refusals within a second are one; 20 in a second are explained", async () => {
    const arena = await createArena(at().service);
    at().clock.advance(5_000);
    await Promise.all(Array.from({ length: 10 }, () => arena.find()));
    expect(outcomes(await list(arena))).toEqual(["find MATCHMAKER_NO_AVAILABLE_LOBBIES 10"]);
    at().clock.advance(5_000);
    for (let i = 0; i < 30; i++) await arena.find({ tags: { i: String(i) } });
    const explained = (await list(arena)).filter(({ asked, explain }) => asked.tags && explain);
    expect(explained).toHaveLength(20);
  });

  test("[DE6] the list has pages, newest first", async () => {
    const arena = await createArena(at().service);
    for (let i = 0; i < 5; i++) await arena.find({ tags: { i: String(i) } });
    const { decisions, cursor, is_partial } = (await ask(arena, "?limit=3")).json;
    expect(is_partial).toBe(false);
    const rest = (await ask(arena, `?limit=3&cursor=${cursor}`)).json;
    expect(rest.cursor).toBeUndefined();
    const order = [...decisions, ...rest.decisions].map(({ asked }) => asked.tags.i);
    expect(order).toEqual(["4", "3", "2", "1", "0"]);
    expectRefusal(await ask(arena, "?cursor=bm8"), "API_BAD_QUERY", [["cursor"]]);
    const token = at().service.adminToken;
    const { game } = arena.namespace;
    const nowhere = await at().service.request("GET", `${game.path}/namespaces/none/decisions`, { token });
    expectRefusal(nowhere, "CLOUD_NAMESPACE_NOT_FOUND");
    const noGame = await at().service.request("GET", "/cloud/games/none/namespaces/none/decisions", { token });
    expectRefusal(noGame, "CLOUD_GAME_NOT_FOUND");
  });

  test("[DE1] there is never an address, a key, a token or a lobby_config in it", async () => {
    const arena = await createArena(at().service, config({ max_players: 1 }));
    await arena.limit({ max_players_per_client: 1 });
    const options = { client: "192.0.2.77", key: "the-key-of-the-call" };
    const lobby = await arena.ready();
    const first = await arena.join(lobby.lobbyId, {}, options);
    await arena.create({ lobby_config: { very: "secret-config" } }, options);
    await arena.find({}, { client: "192.0.2.77" });
    const { text } = await ask(arena);
    expect(text).toContain("TOO_MANY_PLAYERS_FROM_SOURCE");
    for (const secret of ["192.0.2.77", "the-key", "secret-config", arena.pub, first.json.player.token]) {
      expect(text).not.toContain(secret);
    }
  });
}
