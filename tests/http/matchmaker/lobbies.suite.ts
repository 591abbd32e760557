import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  address,
  config,
  createArena,
  type LobbyAtHand,
  lobbyIdOf,
  type Matchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { aUuid, expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createVersion } from "../../support/harness.ts";

/** What lobbies say about themselves: register, state, heartbeat, stop. */
export function lobbiesTests(at: () => Matchmaker): void {
  const arenaWith = (mode: Record<string, unknown> = {}, modes: Record<string, unknown> = {}) =>
    createArena(at().service, config(mode, modes));

  test("register answers the lobby and its own token", async () => {
    const arena = await arenaWith();
    const body = { game_mode: "duel", region: "local", ports: address };
    const answer = await arena.play("POST", "lobbies/register", body, { token: arena.server });
    const token = expect.stringMatching(/^lobby_[\w-]{40,}$/);
    expectAnswer(answer, { lobby_id: aUuid, token, heartbeat_s: 0, reconnect_s: 0 });
    const [lobby] = await arena.lobbies();
    expect(lobby).toMatchObject({ lobby_id: answer.json.lobby_id, status: "starting", runtime: "external" });
  });

  test("register refuses what is not of its version, and then there is no lobby", async () => {
    const arena = await arenaWith({ taggable: false, regions: ["local"] });
    const register = (more: Record<string, unknown>) => {
      const body = { game_mode: "duel", region: "local", ports: address, ...more };
      return arena.play("POST", "lobbies/register", body, { token: arena.server });
    };
    const port = address.default;
    expectRefusal(await register({ game_mode: "other" }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await register({ game_mode: "constructor" }), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await register({ region: "far" }), "MATCHMAKER_REGION_NOT_FOUND");
    expectRefusal(await register({ version_id: randomUUID() }), "CLOUD_VERSION_NOT_FOUND");
    expectRefusal(await register({ ports: {} }), "MATCHMAKER_PORTS_INVALID", [["ports", "default"]]);
    expectRefusal(await register({ ports: { default: port, more: port } }), "MATCHMAKER_PORTS_INVALID", [
      ["ports", "more"],
    ]);
    for (const hostname of ["a b", "http://a.com", "a.com/x", "a..b", "-a.com", "user@a.com", "a.com:80"]) {
      const ports = { default: { ...port, hostname } };
      const answer = await register({ ports });
      expectRefusal(answer, "MATCHMAKER_PORTS_INVALID", [["ports", "default", "hostname"]]);
      expect(answer.json.message).toBe(
        `The hostname "${hostname}" of the port default is neither a host name nor an IP address.`,
      );
    }
    expect((await register({ ports: {} })).json.message).toBe(
      "The ports of a lobby of the game mode duel are: default.",
    );
    for (const number of [0, 65_536, -1, 1.5, "80", null]) {
      expectRefusal(await register({ ports: { default: { ...port, port: number } } }), "API_BAD_BODY", [
        ["ports", "default", "port"],
      ]);
    }
    for (const size of [0, 5, 4_294_967_295]) {
      expectRefusal(await register({ max_players: size }), "MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID");
    }
    expect(await arena.lobbies("?include_stopped=true")).toEqual([]);
  });

  test("a lobby's host may be a container's, with an underscore in its name", async () => {
    const arena = await arenaWith();
    await arena.ready({ ports: { default: { ...address.default, hostname: "game_server.internal" } } });
    expect((await arena.find()).json.ports.default.host).toBe("game_server.internal:7777");
  });

  test("[RT19] [J3] the refusal of a join names the lobby and the reason", async () => {
    const arena = await arenaWith({ max_players: 1, max_players_direct: 2 });
    const lobby = await arena.ready();
    const messageOf = async (body: object = {}, lobbyId = lobby.lobbyId) =>
      (await arena.join(lobbyId, { ...body })).json.message;
    const ofParty = await messageOf({ party_size: 3 });
    expect(ofParty).toBe(`Lobby ${lobby.lobbyId} does not have 3 free seats for this party.`);
    lobbyIdOf(await arena.join(lobby.lobbyId, { party_size: 2 }));
    expect(await messageOf()).toBe(`Lobby ${lobby.lobbyId} has no free seat.`);
    await lobby.stop();
    expect(await messageOf({}, lobby.lobbyId.toUpperCase())).toBe(`Lobby ${lobby.lobbyId} has stopped.`);
    const unknown = randomUUID();
    expect(await messageOf({}, unknown)).toMatch(`Lobby ${unknown} is not in this namespace`);
  });

  test("[RT19] [F9] the refusal of a find names what was searched, and why no lobby is created", async () => {
    const arena = await arenaWith();
    const messageOf = async (body: object) => (await arena.find({ ...body })).json.message;
    expect(await messageOf({})).toBe(
      "No open lobby of the game mode duel has a free seat, and none can be created on demand.",
    );
    const wished = { game_modes: ["duel", "match"], regions: ["far"], tags: { map: "ice" }, party_size: 3 };
    expect(await messageOf(wished)).toBe(
      "No open lobby of the game modes duel, match in the requested regions with the requested tags has 3 free seats, and a party of 3 is larger than a new one may hold.",
    );
    expect(await messageOf({ game_modes: ["match"], prevent_auto_create_lobby: true })).toMatch(
      /, and prevent_auto_create_lobby keeps find from creating one\.$/,
    );
    expect((await arena.create({ party_size: 3 })).json.message).toBe(
      "No lobby is created: a party of 3 is larger than a new one may hold.",
    );
  });

  test("[RT19] players see what limits mean, and servers that register lobbies see their names", async () => {
    const arena = await arenaWith();
    await arena.limit({ lobby_count_max: 0, max_players_per_client: 0 });
    const answers = [await arena.find({ game_modes: ["match"] }), await arena.create()];
    await arena.limit({ lobby_count_max: 0, max_players_per_client: null });
    answers.push(await arena.find({ game_modes: ["match"] }), await arena.create());
    const codes = answers.map(({ json }) => json.code);
    const [client, lobbies] = ["MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE", "MATCHMAKER_TOO_MANY_LOBBIES"];
    expect(codes).toEqual([client, client, lobbies, lobbies]);
    for (const { text } of answers) expect(text).not.toMatch(/lobby_count_max|max_players_per_client/);
    const body = { game_mode: "duel", region: "local", ports: address };
    const refused = await arena.play("POST", "lobbies/register", body, { token: arena.server });
    expect(refused.json.message).toContain("lobby_count_max");
  });

  test("a lobby may have its own size, which replaces both maxima", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready({ max_players: 3 });
    expect(await lobby.seen()).toMatchObject({ max_players_normal: 3, max_players_direct: 3 });
    for (let count = 0; count < 3; count++) expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_FULL");
  });

  test("[C2] [DP1] a lobby of a named version is found once that version is deployed", async () => {
    const arena = await arenaWith();
    const next = await createVersion(at().service, arena.namespace.game, config({ max_players: 3 }));
    const lobby = await arena.ready({ version_id: next.toUpperCase() });
    expect(await lobby.seen()).toMatchObject({ version_id: next, is_outdated: true, max_players_normal: 3 });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await arena.redeploy(next);
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    expect((await lobby.heartbeat()).json.is_outdated).toBe(false);
  });

  test("a version of another game is unknown", async () => {
    const arena = await arenaWith();
    const other = await arenaWith();
    const body = { game_mode: "duel", region: "local", ports: address, version_id: other.versionId };
    const answer = await arena.play("POST", "lobbies/register", body, { token: arena.server });
    expectRefusal(answer, "CLOUD_VERSION_NOT_FOUND");
  });

  test("a lobby of a version without the deployed one's mode can still be joined, and its region is named", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    await arena.deploy({ regions: { moon: {} }, game_modes: { other: { max_players: 1, runtime: { external: {} } } } });
    const answer = await arena.join(lobby.lobbyId);
    expect(answer.json.lobby).toMatchObject({ lobby_id: lobby.lobbyId, region: { display_name: "Local" } });
    expect((await lobby.heartbeat()).json.is_outdated).toBe(true);
    expectRefusal(await arena.find(), "MATCHMAKER_GAME_MODE_NOT_FOUND");
  });

  test("[DP3] [DP4] deploy and rollback leave external lobbies and their players alone", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const [token] = tokensOf(await arena.find()) as [string];
    await lobby.connect(token);
    await arena.deploy(config());
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect((await lobby.heartbeat()).json).toMatchObject({ is_outdated: true, is_closed: false });
    expect((await arena.list()).json.lobbies).toEqual([]);
    expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    await arena.redeploy(arena.versionId);
    expect(await lobby.seen()).toMatchObject({ is_outdated: false, connected_count: 1, reserved_count: 1 });
    await lobby.disconnect(token);
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
  });

  const states: [title: string, text: string][] = [
    ["an object", '{"score":[1,2,{"a":null}],"":"ü"}'],
    ["a list", "[]"],
    ["text", '"some \\"text\\" \\u2028"'],
    ["empty text", '""'],
    ["a number", "-1.5e-3"],
    ["true", "true"],
    ["null", "null"],
    ["names with line breaks", '{"a\\nb":{"\\u2028":[{"\\r":1}]}}'],
    ["names of JavaScript", '{"constructor":1,"toString":2,"length":3}'],
  ];
  test.each(states)("[T61] a state may be any JSON: %s", async (_title, text) => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const put = (rawBody: string) =>
      at().service.request("PUT", "/matchmaker/lobbies/state", { token: lobby.token, rawBody });
    const get = (reader: LobbyAtHand = lobby) => reader.call("GET", `lobbies/${lobby.lobbyId}/state`);
    expectAnswer(await get(), null);
    expectEmpty(await put(text));
    expectAnswer(await get(), JSON.parse(text));
    const neighbour = await arena.register();
    expectAnswer(await get(neighbour), JSON.parse(text));
    const [listed] = (await arena.list("?include_state=true")).json.lobbies;
    expect(listed).toHaveProperty("state", JSON.parse(text));
    expect((await arena.list()).json.lobbies[0]).not.toHaveProperty("state");
    expectEmpty(await lobby.call("PUT", "lobbies/state"));
    expectAnswer(await get(), null);
  });

  test("a state of exactly 16 KiB is kept, one byte more is not", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const put = (rawBody: string) =>
      at().service.request("PUT", "/matchmaker/lobbies/state", { token: lobby.token, rawBody });
    const text = `"${"x".repeat(16 * 1024 - 2)}"`;
    expectEmpty(await put(text));
    expectRefusal(await put(`${text} `), "API_BODY_TOO_LARGE");
    expectRefusal(await put('{"a":1,"a":2}'), "API_BAD_BODY");
    expectAnswer(await lobby.call("GET", `lobbies/${lobby.lobbyId}/state`), JSON.parse(text));
  });

  test("the state of an unknown lobby and of a stopped one", async () => {
    const arena = await arenaWith();
    const [lobby, other] = [await arena.ready(), await arena.ready()];
    for (const id of [randomUUID(), "x", "%00"]) {
      expectRefusal(await lobby.call("GET", `lobbies/${id}/state`), "MATCHMAKER_LOBBY_NOT_FOUND");
    }
    await other.stop();
    expectRefusal(await lobby.call("GET", `lobbies/${other.lobbyId}/state`), "MATCHMAKER_LOBBY_STOPPED");
    expectRefusal(await other.call("GET", `lobbies/${lobby.lobbyId}/state`), "MATCHMAKER_LOBBY_STOPPED");
  });

  test("[H1] [H2] [H4] heartbeats repair who is there, close, and never reopen", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const answer = await arena.find({ party_size: 2 });
    const players = answer.json.players as { player_id: string; token: string }[];
    for (const { token } of players) await lobby.connect(token);
    const ids = players.map(({ player_id }) => player_id).sort();
    const inside = (player_ids: string[]) => ({
      player_ids,
      players: player_ids.map((player_id) => ({ player_id, is_held: false })),
      is_closed_by_operator: false,
      is_outdated: false,
      heartbeat_s: 0,
      reconnect_s: 0,
    });
    const believes = { ...inside(ids), is_closed: false };
    expectAnswer(await lobby.heartbeat(), believes);
    expectAnswer(await lobby.heartbeat({ player_ids: null, is_closed: null }), believes);
    // Every field may be left out, and so may all of them.
    expectAnswer(await lobby.call("POST", "lobbies/heartbeat"), believes);
    expectAnswer(await lobby.heartbeat({ player_ids: [ids[0]!.toUpperCase(), randomUUID()] }), believes);
    expectAnswer(await lobby.heartbeat({ player_ids: [ids[0]], is_closed: true }), {
      ...inside([ids[0]!]),
      is_closed: true,
    });
    expectAnswer(await lobby.heartbeat({ is_closed: false }), { ...inside([ids[0]!]), is_closed: true });
    const gone = players.find(({ player_id }) => player_id === ids[1])!;
    expectRefusal(await lobby.connect(gone.token), "MATCHMAKER_PLAYER_REMOVED");
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
  });

  test("[H5] [H6] [H7] a lobby that falls silent is not found or listed, comes back, and is stopped after ten periods", async () => {
    const arena = await arenaWith({ timeouts: { heartbeat_s: 10 } });
    const { clock } = at();
    const lobby = await arena.ready();
    clock.advance(9_999);
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    clock.advance(1);
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect((await arena.list()).json.lobbies).toEqual([]);
    expect(await lobby.seen()).toMatchObject({ is_silent: true, total_player_count: 1, status: "ready" });
    expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    clock.advance(99_999);
    expect((await lobby.heartbeat()).status).toBe(200);
    expect(await lobby.seen()).toMatchObject({ is_silent: false });
    expect((await arena.list()).json.lobbies).toHaveLength(1);
    clock.advance(110_000);
    expect(await lobby.seen()).toMatchObject({ status: "stopped", stop_reason: "silent", total_player_count: 0 });
    expectRefusal(await lobby.heartbeat(), "MATCHMAKER_LOBBY_STOPPED");
  });

  test("[R3] a registered lobby that is not ready in time is stopped", async () => {
    const arena = await arenaWith({ timeouts: { ready_s: 60 } });
    const lobby = await arena.register();
    at().clock.advance(60_000);
    expectRefusal(await lobby.ready(), "MATCHMAKER_LOBBY_STOPPED");
    expect(await lobby.seen()).toMatchObject({ status: "stopped", stop_reason: "not_ready", ready_ts: null });
  });

  test("[ST1] [ST2] every call of a stopped lobby is 410 for ten minutes, then 401", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const [token] = tokensOf(await arena.find()) as [string];
    expectEmpty(await lobby.stop());
    const calls = [
      () => lobby.ready(),
      () => lobby.setClosed(true),
      () => lobby.call("PUT", "lobbies/state", { a: 1 }),
      () => lobby.call("PUT", "lobbies/state"),
      () => lobby.call("GET", `lobbies/${lobby.lobbyId}/state`),
      () => lobby.heartbeat(),
      () => lobby.connect(token),
      () => lobby.disconnect(token),
      () => lobby.connect("player_nobody"),
      () => lobby.stop(),
    ];
    for (const call of calls) expectRefusal(await call(), "MATCHMAKER_LOBBY_STOPPED");
    at().clock.advance(599_999);
    for (const call of calls) expectRefusal(await call(), "MATCHMAKER_LOBBY_STOPPED");
    at().clock.advance(1);
    for (const call of calls) {
      const answer = await call();
      expectRefusal(answer, "TOKEN_INVALID");
      expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    }
    expect(await arena.lobbies("?include_stopped=true")).toEqual([]);
  });

  test("the token of a lobby that is gone is refused before the body is looked at", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    await lobby.stop();
    at().clock.advance(600_000);
    expectRefusal(await lobby.call("PUT", "lobbies/closed", { is_closed: "yes" }), "TOKEN_INVALID");
  });

  test("a lobby is as often ready as it says, once", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register();
    expectEmpty(await lobby.ready());
    const { ready_ts } = await lobby.seen();
    at().clock.advance(5_000);
    expectEmpty(await lobby.call("POST", "lobbies/ready", {}));
    expect((await lobby.seen()).ready_ts).toBe(ready_ts);
    expectRefusal(await lobby.call("POST", "lobbies/ready", { now: true }), "API_BAD_BODY", [["now"]]);
  });
}
