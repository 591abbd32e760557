import { expect, test } from "vitest";
import { type Arena, config, createArena, type Matchmaker } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";

/** What a player's find would do, for operators. */
export function previewFindTests(at: () => Matchmaker): void {
  const ask = (arena: Arena, body: object) =>
    at().service.request("POST", `${arena.namespace.path}/lobbies/preview-find`, {
      token: at().service.adminToken,
      body: { game_modes: ["duel"], ...body },
    });
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  const preview = async (arena: Arena, body: object = {}): Promise<any> => {
    const { status, json } = await ask(arena, body);
    expect(status).toBe(200);
    return json;
  };

  test("[OP3] it answers what find would do, explained, and takes and creates nothing", async () => {
    const arena = await createArena(at().service);
    const lobby = await arena.ready();
    const chosen = await preview(arena);
    expect(chosen).toMatchObject({
      lobby: { lobby_id: lobby.lobbyId, region: { region_id: "local", display_name: "Local" } },
      would_create: false,
      refusal: null,
      explain: { candidates: [{ lobby_id: lobby.lobbyId, codes: ["chosen"] }] },
    });
    const created = await preview(arena, { game_modes: ["match"] });
    expect(created).toMatchObject({ lobby: null, would_create: true, refusal: null });
    expect((await lobby.seen()).total_player_count).toBe(0);
    expect(await arena.lobbies()).toHaveLength(1);
  });

  test("[OP3] a refusal is an answer, with the reason; only a bad body is 400", async () => {
    const arena = await createArena(at().service);
    const lobby = await arena.ready();
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}/closed`;
    await at().service.admin("PUT", path, { is_closed: true });
    const refused = await preview(arena);
    expect(refused).toMatchObject({
      lobby: null,
      would_create: false,
      refusal: { code: "MATCHMAKER_NO_AVAILABLE_LOBBIES", message: (await arena.find()).json.message },
      explain: { candidates: [{ lobby_id: lobby.lobbyId, codes: ["closed_by_operator"] }] },
    });
    for (const [body, code] of [
      [{ game_modes: ["none"] }, "MATCHMAKER_GAME_MODE_NOT_FOUND"],
      [{ game_modes: [] }, "MATCHMAKER_NO_GAME_MODE_PROVIDED"],
      [{ version: "another" }, "MATCHMAKER_VERSION_NOT_DEPLOYED"],
      [{ max_players: 2 }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED"],
    ] as const) {
      const { refusal, explain } = await preview(arena, body);
      expect([refusal.code, explain.candidates]).toEqual([code, []]);
    }
    expectRefusal(await ask(arena, { dry_run: true }), "API_BAD_BODY", [["dry_run"]]);
    expectRefusal(await ask(arena, { explain: true }), "API_BAD_BODY", [["explain"]]);
    expectRefusal(await ask(arena, { client: { address: "somewhere" } }), "API_BAD_BODY", [["client", "address"]]);
    expectRefusal(await ask(arena, { client: { address: "10.0.0.0/16" } }), "API_BAD_BODY", [["client", "address"]]);
    const { game } = arena.namespace;
    const token = at().service.adminToken;
    const body = { game_modes: ["duel"] };
    const nowhere = `${game.path}/namespaces/none/lobbies/preview-find`;
    expectRefusal(await at().service.request("POST", nowhere, { token, body }), "CLOUD_NAMESPACE_NOT_FOUND");
    const noGame = "/cloud/games/none/namespaces/none/lobbies/preview-find";
    expectRefusal(await at().service.request("POST", noGame, { token, body }), "CLOUD_GAME_NOT_FOUND");
  });

  test("[OP4] the address counts for max_players_per_client alone: no block applies", async () => {
    const arena = await createArena(at().service, config({ max_players: 4 }));
    await arena.limit({ max_players_per_client: 1 });
    const lobby = await arena.ready();
    await arena.find({}, { client: "192.0.2.9" });
    await arena.find({}, { client: "2001:db8:1:2:3::4" });
    for (const address of ["192.0.2.9", "2001:db8:1:2::99"]) {
      const { refusal } = await preview(arena, { client: { address } });
      expect(refusal.code).toBe("MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    }
    await at().service.admin("PUT", `${arena.namespace.path}/blocks`, { client: "192.0.2.10" });
    for (const client of [{ address: "192.0.2.10" }, {}, null]) {
      expect((await preview(arena, { client })).lobby.lobby_id).toBe(lobby.lobbyId);
    }
  });

  test("[OP4] the coordinates choose the region, and private lobbies are named", async () => {
    const arena = await createArena(at().service);
    const [near, far] = [await arena.ready(), await arena.ready({ region: "far" })];
    const closeTo = (latitude: number, longitude: number) => ({ client: { coordinates: { latitude, longitude } } });
    expect((await preview(arena, closeTo(52, 13))).lobby.lobby_id).toBe(near.lobbyId);
    expect((await preview(arena, closeTo(-33, 151))).lobby.lobby_id).toBe(far.lobbyId);

    const hidden = await arena.ready({ publicity: "private" });
    await arena.ready({ publicity: "private", region: "far" });
    const { explain } = await preview(arena, { regions: ["local"] });
    expect(explain).toMatchObject({ private_count: 1, has_more: false });
    expect(
      explain.candidates.map(({ lobby_id, codes }: { lobby_id: string; codes: string[] }) => [lobby_id, ...codes]),
    ).toEqual([
      [near.lobbyId, "chosen"],
      [hidden.lobbyId, "private"],
    ]);
    expect((await arena.find({ dry_run: true, explain: true })).text).not.toContain(hidden.lobbyId);
  });
}
