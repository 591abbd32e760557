import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, startMatchmaker } from "../../support/arena.ts";
import { listenTo } from "../../support/event-streams.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createToken, logFileOf, until } from "../../support/harness.ts";

type Json = Record<string, unknown>;

const codeOf6 = /^[BCDFGHJKMNPQRSTVWXYZ23456789]{6}$/;

/** Short codes that players join a lobby by. */
export function codesTests(at: () => Matchmaker): void {
  async function arenaWith(mode: Json = { codes: { enabled: true } }, modes: Json = {}) {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    const arena = await createArena(service, config({ max_players: 8, max_players_direct: 8, ...mode }, modes));
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    return arena;
  }
  const joinByCode = (arena: Arena, code: string, options = {}, body: Json = {}) =>
    arena.play("POST", "lobbies/join", { code, ...body }, options);
  const registerWithCode = async (arena: Arena) => {
    const ports = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
    const body = { game_mode: "duel", region: "local", ports };
    const { lobby_id, token, code } = (await arena.play("POST", "lobbies/register", body, { token: arena.server }))
      .json;
    await arena.lobby(lobby_id, token).ready();
    return { ...arena.lobby(lobby_id, token), code: code as string };
  };
  let clients = 0;
  /** One that has sent no wrong code yet. */
  const newClient = () => `203.0.113.${++clients}`;

  test("[CO5] every lobby of a mode with codes has one, however it is made, and others have none", async () => {
    const arena = await arenaWith(undefined, {
      plain: { max_players: 2, runtime: { process: { command: "node" } }, actions: { create: { enabled: true } } },
      warm: {
        max_players: 2,
        idle_lobbies: { min: 1 },
        codes: { enabled: true, length: 9 },
        runtime: { process: { command: "node" } },
      },
    });
    const created = (await arena.create({ publicity: "private" })).json.lobby;
    const found = (await arena.find({ game_modes: ["match"], tags: { map: "ice" } })).json.lobby;
    const { code: registered } = await registerWithCode(arena);
    expect([created.code, found.code, registered].every((code) => codeOf6.test(code))).toBe(true);
    expect((await arena.create({ game_mode: "plain" })).json.lobby).not.toHaveProperty("code");
    await until(async () => (await arena.lobbies()).some(({ game_mode_id }) => game_mode_id === "warm"));
    const lobbies = await arena.lobbies();
    for (const { game_mode_id, code } of lobbies) {
      if (game_mode_id === "plain") expect(code).toBe(null);
      else expect(code).toHaveLength(game_mode_id === "warm" ? 9 : 6);
    }
    expect(new Set(lobbies.map(({ code }) => code)).size).toBe(lobbies.length);
  });

  test("[CO7] the code is in the answers to players and servers, the environment, the operator's view and lobby events", async () => {
    const arena = await arenaWith();
    const { service, runtime } = at();
    const listener = await listenTo(service, `${arena.namespace.path}/events`, { token: service.adminToken });
    const { lobby_id, code } = (await arena.create()).json.lobby;
    const [shown] = await arena.lobbies();
    expect(shown).toMatchObject({ lobby_id, code });
    expect((await service.admin("GET", `${arena.namespace.path}/lobbies/${lobby_id}`)).lobby.code).toBe(code);
    expect(runtime.startOf(lobby_id).env.FOYER_LOBBY_CODE).toBe(code);
    expect((await arena.join(lobby_id)).json.lobby.code).toBe(code);
    expect((await arena.find({ game_modes: ["match"] })).json.lobby.code).toBe(code);
    const [created] = await listener.first(1);
    expect(created).toMatchObject({ event: "lobby.created", data: { lobby: { lobby_id, code } } });
    listener.leave();
  });

  test("[CO7] the code is in no list, explanation, dry run, message, history or log line", async () => {
    const arena = await arenaWith();
    const { lobby_id, code } = (await arena.create()).json.lobby;
    const { path } = arena.namespace;
    const { service } = at();
    const texts = [
      (await arena.list("?include_state=true")).text,
      (await arena.play("GET", "players/statistics")).text,
      (await arena.find({ game_modes: ["match"], dry_run: true, explain: true })).text,
      (await joinByCode(arena, code, { client: newClient() }, { party_size: 60 })).text,
    ];
    const found = await arena.find({ game_modes: ["match"], explain: true });
    texts.push(JSON.stringify(found.json.explain));
    await service.admin("DELETE", `${path}/lobbies/${lobby_id}`);
    texts.push((await joinByCode(arena, code, { client: newClient() })).text);
    await until(async () => (await service.admin("GET", `${path}/lobby-history`)).lobbies.length === 1);
    texts.push(JSON.stringify(await service.admin("GET", `${path}/lobby-history`)));
    texts.push(readFileSync(logFileOf(service), "utf8"));
    expect(texts.filter((text) => text.includes(code))).toEqual([]);
  });

  test("[CO8] a join takes a code in any case with spaces and hyphens, or an id, and exactly one of the two", async () => {
    const arena = await arenaWith();
    const { lobbyId, code } = await registerWithCode(arena);
    const typed = [code, code.toLowerCase(), `${code.slice(0, 3)}-${code.slice(3).toLowerCase()}`, ` ${code} `];
    for (const text of typed) expect(lobbyIdOf(await joinByCode(arena, text))).toBe(lobbyId);
    expect(lobbyIdOf(await arena.join(lobbyId, { code: null }))).toBe(lobbyId);
    for (const body of [{}, { lobby_id: lobbyId, code }, { lobby_id: null, code: null }]) {
      expectRefusal(await arena.play("POST", "lobbies/join", body), "API_BAD_BODY");
    }
    expectRefusal(await joinByCode(arena, code.padEnd(33)), "API_BAD_BODY");
    expect(lobbyIdOf(await joinByCode(arena, code.padEnd(32)))).toBe(lobbyId);
    for (const other of [7, ["a"], {}]) {
      expectRefusal(await arena.play("POST", "lobbies/join", { code: other }), "API_BAD_BODY");
    }
  });

  test("[CO8] a retry by Idempotency-Key is the same request however the code is typed", async () => {
    const arena = await arenaWith();
    const { code } = await registerWithCode(arena);
    const first = await joinByCode(arena, code, { key: "once" });
    expect((await joinByCode(arena, ` ${code.toLowerCase()}-`, { key: "once" })).json).toEqual(first.json);
    const other = await registerWithCode(arena);
    expectRefusal(await joinByCode(arena, other.code, { key: "once" }), "MATCHMAKER_IDEMPOTENCY_KEY_REUSED");
  });

  test("[CO9] an unknown, foreign or misspelt code is not found, and that of a stopped lobby says so", async () => {
    const [arena, other] = [await arenaWith(), await arenaWith()];
    const { code } = await registerWithCode(arena);
    const foreign = await registerWithCode(other);
    const client = newClient();
    const wrong = ["", "A1", `${code}B`, code.slice(1), foreign.code, "ſſſſſſ", "x".repeat(32)];
    for (const text of wrong) expectRefusal(await joinByCode(arena, text, { client }), "MATCHMAKER_LOBBY_NOT_FOUND");
    await foreign.stop();
    expectRefusal(await joinByCode(other, foreign.code, { client }), "MATCHMAKER_LOBBY_STOPPED");
  });

  test("[CO10] after 10 wrong codes in a minute a client's codes are refused, right ones too, while joins by id go on", async () => {
    const arena = await arenaWith();
    const { lobbyId, code } = await registerWithCode(arena);
    const stopped = await registerWithCode(arena);
    await stopped.stop();
    const client = newClient();
    expect(lobbyIdOf(await joinByCode(arena, code, { client, key: "used" }, { party_size: 2 }))).toBe(lobbyId);
    for (let sent = 0; sent < 9; sent++)
      expectRefusal(await joinByCode(arena, "WRONG", { client }), "MATCHMAKER_LOBBY_NOT_FOUND");
    expect(lobbyIdOf(await joinByCode(arena, code, { client }))).toBe(lobbyId);
    expectRefusal(await joinByCode(arena, stopped.code, { client }), "MATCHMAKER_LOBBY_STOPPED");
    const refused = await joinByCode(arena, code, { client, key: "used" });
    expectRefusal(refused, "API_RATE_LIMIT");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(lobbyIdOf(await arena.join(lobbyId, {}, { client }))).toBe(lobbyId);
    expect(lobbyIdOf(await joinByCode(arena, code, { client: newClient() }))).toBe(lobbyId);
  });

  test("[CO10] of many wrong codes at once as many are answered as one after the other", async () => {
    const arena = await arenaWith();
    const { lobbyId, code } = await registerWithCode(arena);
    const wrong = newClient();
    const answers = await Promise.all(Array.from({ length: 30 }, () => joinByCode(arena, "WRONG", { client: wrong })));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(404), count(429)]).toEqual([10, 20]);
    const right = newClient();
    const joins = await Promise.all(
      Array.from({ length: 30 }, () => joinByCode(arena, code, { client: right, key: "k" })),
    );
    expect(new Set(joins.map(lobbyIdOf))).toEqual(new Set([lobbyId]));
  });

  test("[CO10] each IPv6 /48 has 40 wrong codes, and a client that calls without a proxy has 10 too", async () => {
    const arena = await arenaWith();
    const from = (client: string) => joinByCode(arena, "WRONG", { client });
    for (let client = 0; client < 4; client++) {
      for (let sent = 0; sent < 10; sent++) expect((await from(`2001:db8:77:${client}::1`)).status).toBe(404);
    }
    expectRefusal(await from("2001:db8:77:9::1"), "API_RATE_LIMIT");
    expect((await from("2001:db8:78:9::1")).status).toBe(404);
    const { code } = await registerWithCode(arena);
    for (let sent = 0; sent < 10; sent++) expect((await joinByCode(arena, "WRONG")).status).toBe(404);
    expectRefusal(await joinByCode(arena, code), "API_RATE_LIMIT");
  });

  test("[CO11] when a namespace's 120 wrong codes are spent each client has one, and a right code is never kept out", async () => {
    const arena = await arenaWith();
    const { lobbyId, code } = await registerWithCode(arena);
    const from = (network: number, client: number, text = "WRONG") =>
      joinByCode(arena, text, { client: `198.${18 + network}.0.${client}` });
    const answers = await Promise.all(Array.from({ length: 120 }, (_, at) => from(0, at)));
    expect(answers.filter(({ status }) => status !== 404)).toEqual([]);
    expectRefusal(await from(0, 7, code), "API_RATE_LIMIT");
    expect(lobbyIdOf(await from(1, 1, code))).toBe(lobbyId);
    expect((await from(1, 1)).status).toBe(404);
    expectRefusal(await from(1, 1), "API_RATE_LIMIT");
    const other = await arenaWith();
    expect((await joinByCode(other, "WRONG", { client: "198.18.0.7" })).status).toBe(404);
  });

  test("[CO12] server tokens have no budget of wrong codes", async () => {
    const arena = await arenaWith();
    const { lobbyId, code } = await registerWithCode(arena);
    const backend = { token: arena.server };
    for (let sent = 0; sent < 15; sent++) expect((await joinByCode(arena, "WRONG", backend)).status).toBe(404);
    expect(lobbyIdOf(await joinByCode(arena, code, backend))).toBe(lobbyId);
  });

  test("[CO13] a development token's join by code is checked and gets the mock answer", async () => {
    const arena = await arenaWith();
    const { token } = await createToken(at().service, arena.namespace, "dev");
    const mock = await joinByCode(arena, "bcd-fgh", { token });
    expect(lobbyIdOf(mock)).toBe("00000000-0000-0000-0000-000000000000");
    expectRefusal(await joinByCode(arena, "B".repeat(33), { token }), "API_BAD_BODY");
    expectRefusal(await arena.play("POST", "lobbies/join", {}, { token }), "API_BAD_BODY");
    for (let sent = 0; sent < 12; sent++) expect((await joinByCode(arena, "WRONG", { token })).status).toBe(200);
  });
}

/** A service whose random numbers are always the same. */
export function takenCodesTests(kind: "sqlite" | "redis"): void {
  test("[CO6] when all eight candidates are taken, find, create, register and the warm pool try longer ones", async () => {
    const newCodes = (length: number) => Array.from({ length: 8 }, () => "B".repeat(length));
    const { service, runtime } = await startMatchmaker(kind, { findWaitS: 3600 }, { newCodes });
    onTestFinished(() => service.close());
    const codes = { enabled: true, length: 4 };
    const warm = { max_players: 1, codes, idle_lobbies: { min: 2 }, regions: ["local"] };
    const process = { process: { command: "node" } };
    const arena = await createArena(service, config({ codes }, { warm: { ...warm, runtime: process } }));
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    await until(async () => (await arena.lobbies()).length === 2);
    const made = [
      (await arena.create()).json.lobby.code,
      (await arena.find({ game_modes: ["match"], tags: { map: "ice" } })).json.lobby.code,
    ];
    await arena.register();
    expect(made).toEqual(["B".repeat(6), "B".repeat(7)]);
    expect((await arena.lobbies()).map(({ code }) => code.length).sort()).toEqual([4, 5, 6, 7, 8]);
    const preview = await arena.find({ game_modes: ["match"], tags: { map: "fire" }, dry_run: true });
    expect(preview.json).toMatchObject({ lobby: null, would_create: true });
  });
}
