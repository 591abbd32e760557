import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";

/** What happened in a namespace, in figures. */
export function activityTests(at: () => Matchmaker): void {
  const ask = (arena: Arena, query = "") =>
    at().service.request("GET", `${arena.namespace.path}/activity${query}`, { token: at().service.adminToken });
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  const read = async (arena: Arena, query = "?window_s=60"): Promise<any> => (await ask(arena, query)).json;
  const last = (series: (number | null)[]) => series.at(-1);

  test("[AC1] there is a step for each part of the window; the last one has begun", async () => {
    const arena = await createArena(at().service);
    const usual = await read(arena, "");
    expect(usual).toMatchObject({ step_s: 10, is_partial: false });
    expect(usual.series.finds).toEqual(Array(360).fill(null));
    expect(Object.keys(usual.series)).toEqual([
      ...["finds", "joins", "creates", "lobbies_created", "lobbies_failed", "lobbies_stopped", "lobbies", "players"],
      ...["ready_wait_p50_ms", "ready_wait_p95_ms", "refusals"],
    ]);
    const long = await read(arena, "?window_s=21600&step_s=60");
    expect([Date.parse(long.start_ts) % 60_000, long.series.joins.length]).toEqual([0, 360]);
    const now = at().clock.now();
    const end = Date.parse(long.start_ts) + 360 * 60_000;
    expect(end - now).toBeGreaterThan(0);
    expect(end - now).toBeLessThanOrEqual(60_000);
    expect((await read(arena, "?window_s=21600")).step_s).toBe(60);
    const { game } = arena.namespace;
    const token = at().service.adminToken;
    const nowhere = await at().service.request("GET", `${game.path}/namespaces/none/activity`, { token });
    expectRefusal(nowhere, "CLOUD_NAMESPACE_NOT_FOUND");
    const noGame = await at().service.request("GET", "/cloud/games/none/namespaces/none/activity", { token });
    expectRefusal(noGame, "CLOUD_GAME_NOT_FOUND");
    for (const [query, field] of [
      ["window_s=59", "window_s"],
      ["window_s=21601", "window_s"],
      ["step_s=15", "step_s"],
      ["step_s=0", "step_s"],
      ["window_s=21600&step_s=10", "step_s"],
    ]) {
      expectRefusal(await ask(arena, `?${query}`), "API_BAD_QUERY", [[field!]]);
    }
  });

  test("[AC2] answered calls are counted, refused ones by their code, dry runs not at all", async () => {
    const arena = await createArena(at().service);
    const lobby = await arena.ready();
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    await arena.join(lobby.lobbyId);
    await arena.find({ dry_run: true });
    expectRefusal(await arena.find({ game_modes: ["none"] }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await arena.find({ party_size: 64 }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.find({ party_size: 64 }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.join(lobby.lobbyId, { party_size: 4 }), "MATCHMAKER_LOBBY_FULL");
    const lobbies = () =>
      read(arena).then(({ series }) => [last(series.lobbies_created), last(series.lobbies_stopped)]);
    await until(async () => (await lobbies())[0] === 1);
    await lobby.stop();
    await until(async () => (await lobbies())[1] === 1);
    const { series } = await read(arena);
    expect([series.finds, series.joins, series.creates, series.lobbies_failed].map(last)).toEqual([1, 1, 0, 0]);
    expect(Object.entries(series.refusals).map(([code, counts]) => [code, last(counts as number[])])).toEqual([
      ["MATCHMAKER_GAME_MODE_NOT_FOUND", 1],
      ["MATCHMAKER_LOBBY_FULL", 1],
      ["MATCHMAKER_NO_AVAILABLE_LOBBIES", 2],
    ]);
  });

  test("[AC2] [AC3] created and failed lobbies, living ones and players are counted, and how long calls waited", async () => {
    const arena = await createArena(at().service, config({ max_players: 3 }));
    const creating = arena.create();
    await until(async () => (await arena.lobbies())[0]?.ports.default !== undefined);
    at().clock.advance(2_000);
    const [{ lobby_id }] = await arena.lobbies();
    const token = at().service.derive({ kind: "lobby", namespaceId: arena.namespace.namespaceId, lobbyId: lobby_id });
    await arena.lobby(lobby_id, token).ready();
    lobbyIdOf(await creating);
    at().clock.advance(10_000);
    await until(async () => (await read(arena)).series.players.includes(1));
    const { series } = await read(arena, "?window_s=3600");
    const sum = (name: string) => (series[name] as (number | null)[]).reduce((a: number, b) => a + (b ?? 0), 0);
    expect([sum("creates"), sum("lobbies_created"), Math.max(...series.lobbies)]).toEqual([1, 1, 1]);
    const waits = (series.ready_wait_p95_ms as (number | null)[]).filter((wait) => wait !== null);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(2_000);
  });
}
