import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createToken } from "../../support/harness.ts";

type Json = Record<string, unknown>;

/** What a studio's own backend may do with its server token. */
export function backendsTests(at: () => Matchmaker): void {
  async function arenaWith(mode: Json = {}, modes: Json = {}) {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    const arena = await createArena(service, config(mode, modes));
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    return arena;
  }
  const backend = (arena: Arena, key?: string) => ({ token: arena.server, ...(key !== undefined && { key }) });

  test("[KY1] a server token finds, joins and creates, and its seats have no client", async () => {
    const arena = await arenaWith({ max_players: 8, max_players_direct: 8 });
    const lobby = await arena.ready();
    expect(lobbyIdOf(await arena.find({ party_size: 2 }, backend(arena)))).toBe(lobby.lobbyId);
    expect(lobbyIdOf(await arena.join(lobby.lobbyId, {}, backend(arena)))).toBe(lobby.lobbyId);
    const created = lobbyIdOf(await arena.create({}, backend(arena)));
    const { players } = await lobby.seen();
    expect(players.map(({ client }: { client: unknown }) => client)).toEqual([null, null, null]);
    const [made] = (await arena.lobbies()).filter(({ lobby_id }) => lobby_id === created);
    expect(made).toMatchObject({ registered_by: null, total_player_count: 1 });
    expect((await arena.find({ dry_run: true }, backend(arena))).json.lobby.lobby_id).toBe(lobby.lobbyId);
  });

  test("[KY1] no limit of a client, no block and no place apply to a server token", async () => {
    const arena = await arenaWith({ max_players: 8, max_players_direct: 8 });
    await arena.limit({ max_players_per_client: 1 });
    const local = await arena.ready({ region: "local" });
    const far = await arena.ready({ region: "far" });
    const { path } = arena.namespace;
    await at().service.admin("PUT", `${path}/blocks`, { client: "192.0.2.1" });
    const options = { ...backend(arena), client: "192.0.2.1", headers: { "x-foyer-coordinates": "-33.9,151.2" } };
    expectRefusal(await arena.find({}, { client: "192.0.2.1" }), "MATCHMAKER_CLIENT_BLOCKED");
    for (let seats = 0; seats < 3; seats++) expect(lobbyIdOf(await arena.find({}, options))).toBe(local.lobbyId);
    expect(tokensOf(await arena.join(far.lobbyId, { party_size: 3 }, options))).toHaveLength(3);
    await at().service.admin("PUT", `${path}/blocks`, { client: "192.0.2.0/24", end_seats: true });
    expect((await local.seen()).players).toHaveLength(3);
    expect((await arena.find({}, { client: "198.51.100.1" })).status).toBe(200);
  });

  test("[KY2] what players may not do, a server token may; limits, caps and sizes bind both", async () => {
    const none = { find: { enabled: false }, join: { enabled: false }, create: { enabled: false } };
    const arena = await arenaWith({ max_players: 2, max_players_direct: 3, actions: none });
    const lobby = await arena.ready();
    expectRefusal(await arena.find(), "MATCHMAKER_FIND_DISABLED");
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_JOIN_DISABLED");
    expectRefusal(await arena.create(), "MATCHMAKER_CREATE_DISABLED");
    expect(lobbyIdOf(await arena.find({ party_size: 2 }, backend(arena)))).toBe(lobby.lobbyId);
    expect(lobbyIdOf(await arena.join(lobby.lobbyId, {}, backend(arena)))).toBe(lobby.lobbyId);
    expectRefusal(await arena.join(lobby.lobbyId, {}, backend(arena)), "MATCHMAKER_LOBBY_FULL");
    expectRefusal(await arena.find({}, backend(arena)), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    const small = await arena.create({ max_players: 1, publicity: "private" }, backend(arena));
    const [made] = (await arena.lobbies()).filter(({ lobby_id }) => lobby_id === lobbyIdOf(small));
    expect(made).toMatchObject({ publicity: "private", max_players_normal: 1 });
    expectRefusal(await arena.create({ max_players: 4 }, backend(arena)), "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID");
    expectRefusal(await arena.create({ game_mode: "duel" }, backend(arena)), "MATCHMAKER_CREATE_DISABLED");
    await arena.limit({ lobby_count_max: 2 });
    expectRefusal(await arena.create({}, backend(arena)), "MATCHMAKER_TOO_MANY_LOBBIES");
  });

  test("[KY4] the idempotency keys of a server token are its own", async () => {
    const arena = await arenaWith({ max_players: 50, max_players_direct: 50 });
    await arena.ready();
    const other = (await createToken(at().service, arena.namespace, "server")).token;
    const first = await arena.find({}, backend(arena, "once"));
    expect((await arena.find({}, { ...backend(arena, "once"), client: "198.51.100.7" })).json).toEqual(first.json);
    expectRefusal(await arena.find({ party_size: 2 }, backend(arena, "once")), "MATCHMAKER_IDEMPOTENCY_KEY_REUSED");
    const others = [
      await arena.find({ party_size: 2 }, { token: other, key: "once" }),
      await arena.find({ party_size: 2 }, { key: "once" }),
    ];
    for (const answer of others) expect(tokensOf(answer)).toHaveLength(2);
    const created = await arena.create({}, backend(arena, "once"));
    expect((await arena.create({}, backend(arena, "once"))).json).toEqual(created.json);
  });

  test("[KY5] version must be the deployed one, by id or display name, before game modes are checked", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const { service } = at();
    const { version } = await service.admin("GET", `${arena.namespace.game.path}/versions/${arena.versionId}`);
    const { version_id, display_name } = version;
    for (const wanted of [version_id, version_id.toUpperCase(), display_name]) {
      expect((await arena.find({ version: wanted, dry_run: true })).json.lobby.lobby_id).toBe(lobby.lobbyId);
      expect((await arena.create({ version: wanted })).status).toBe(200);
    }
    const deployed_version = { version_id, display_name };
    for (const wanted of ["0.0", `${display_name.toUpperCase()}x`, "00000000-0000-0000-0000-000000000000"]) {
      const refused = [
        await arena.find({ version: wanted, game_modes: ["nothing"] }),
        await arena.find({ version: wanted, dry_run: true }),
        await arena.create({ version: wanted, game_mode: "nothing" }),
        await arena.create({ version: wanted }, backend(arena)),
      ];
      for (const answer of refused) {
        expectRefusal(answer, "MATCHMAKER_VERSION_NOT_DEPLOYED");
        expect(answer.json.metadata).toEqual({ deployed_version });
      }
    }
    for (const wanted of ["", 1, "x".repeat(129)]) {
      expectRefusal(await arena.find({ version: wanted }), "API_BAD_BODY");
      expectRefusal(await arena.create({ version: wanted }), "API_BAD_BODY");
    }
    const dev = (await createToken(service, arena.namespace, "dev")).token;
    expectRefusal(await arena.find({ version: "0.0" }, { token: dev }), "MATCHMAKER_VERSION_NOT_DEPLOYED");
    expect((await arena.create({ version: display_name }, { token: dev })).status).toBe(200);
  });
}
