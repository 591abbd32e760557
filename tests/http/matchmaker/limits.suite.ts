import { expect, test } from "vitest";
import { address, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createToken, until } from "../../support/harness.ts";

/** Limits, revocation and keys: what must be in force for the very next request. */
export function limitsTests(at: () => Matchmaker): void {
  async function arenaWith(mode: Record<string, unknown> = {}) {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    const arena = await createArena(service, config(mode));
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    return arena;
  }

  test("[L1] [L3] lobby_count_max counts every living lobby and is in force for the next request", async () => {
    const arena = await arenaWith();
    const register = () => {
      const body = { game_mode: "duel", region: "local", ports: address };
      return arena.play("POST", "lobbies/register", body, { token: arena.server });
    };
    const [starting, closed] = [await arena.register(), await arena.ready({ publicity: "private" })];
    await closed.setClosed(true);
    await arena.limit({ lobby_count_max: 2 });
    expectRefusal(await register(), "MATCHMAKER_TOO_MANY_LOBBIES");
    expectRefusal(await arena.find({ game_modes: ["match"] }), "MATCHMAKER_TOO_MANY_LOBBIES");
    expectRefusal(await arena.create(), "MATCHMAKER_TOO_MANY_LOBBIES");
    await arena.limit({ lobby_count_max: 0 });
    expect(await arena.lobbies()).toHaveLength(2);
    expect(lobbyIdOf(await arena.join(closed.lobbyId))).toBe(closed.lobbyId);
    await starting.stop();
    expectRefusal(await register(), "MATCHMAKER_TOO_MANY_LOBBIES");
    await arena.limit({ lobby_count_max: 2 });
    expect((await register()).status).toBe(200);
    await arena.limit({ lobby_count_max: 4_294_967_295 });
    expect((await register()).status).toBe(200);
  });

  test("[L3] [J3] [F6] max_players of the namespace limits finds and joins, and lowering it removes no player", async () => {
    const arena = await arenaWith({ max_players: 5, max_players_direct: 6 });
    const lobby = await arena.ready();
    const tokens = tokensOf(await arena.find({ party_size: 3 }));
    await arena.limit({ max_players: 3 });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_FULL");
    await arena.limit({ max_players: 1 });
    for (const token of tokens) expect((await lobby.connect(token)).status).toBe(200);
    await arena.limit({ max_players: 0 });
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_FULL");
    expectRefusal(await arena.find({ game_modes: ["match"] }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expectRefusal(await arena.create(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(await lobby.seen()).toMatchObject({ connected_count: 3, max_players_normal: 5, max_players_direct: 6 });
    await arena.limit({ max_players: 4_294_967_295 });
    expect(tokensOf(await arena.find({ party_size: 2 }))).toHaveLength(2);
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(tokensOf(await arena.join(lobby.lobbyId))).toHaveLength(1);
    expectRefusal(await arena.join(lobby.lobbyId), "MATCHMAKER_LOBBY_FULL");
  });

  test("[L4] max_players_per_client counts an IPv4 address or an IPv6 /64, in find, join and create", async () => {
    const arena = await arenaWith({ max_players: 50, max_players_direct: 50 });
    await arena.limit({ max_players_per_client: 2 });
    const lobby = await arena.ready();
    const from = (client: string) => ({ client });
    const home = ["2001:db8:1:1::1", "2001:db8:1:1:ffff::2", "2001:0DB8:1:1::3"] as const;
    const [first] = tokensOf(await arena.find({}, from(home[0]))) as [string];
    expectRefusal(await arena.find({ party_size: 2 }, from(home[1])), "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    await arena.join(lobby.lobbyId, {}, from(home[1]));
    for (const client of home) {
      const refused = [
        await arena.find({}, from(client)),
        await arena.join(lobby.lobbyId, {}, from(client)),
        await arena.create({}, from(client)),
      ];
      for (const answer of refused) expectRefusal(answer, "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    }
    expect((await arena.find({ party_size: 2 }, from("2001:db8:1:2::1"))).status).toBe(200);
    expect((await arena.find({ party_size: 2 }, from("198.51.100.1"))).status).toBe(200);
    expect((await arena.find({}, from("::ffff:198.51.100.1"))).json.code).toBe(
      "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE",
    );

    await lobby.connect(first);
    await lobby.disconnect(first);
    expect((await arena.create({}, from(home[2]))).status).toBe(200);
    await arena.limit({});
    expectRefusal(await arena.find({}, from(home[0])), "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    await arena.limit({ max_players_per_client: null });
    expect((await arena.find({ party_size: 10 }, from(home[0]))).status).toBe(200);
    const { players } = await lobby.seen();
    expect(new Set(players.map(({ client }: { client: string }) => client))).toEqual(
      new Set(["2001:db8:1:1::/64", "2001:db8:1:2::/64", "198.51.100.1"]),
    );
  });

  test("a revoked token is refused from the next request on, and what it made lives on", async () => {
    const { service } = at();
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const pub = await createToken(service, arena.namespace, "pub");
    const server = await createToken(service, arena.namespace, "server");
    const [seat] = tokensOf(await arena.find({}, { token: pub.token })) as [string];
    const register = () => {
      const body = { game_mode: "duel", region: "local", ports: address };
      return arena.play("POST", "lobbies/register", body, { token: server.token });
    };
    const made = (await register()).json;
    for (const { token_id } of [pub, server])
      await service.admin("DELETE", `${arena.namespace.path}/tokens/${token_id}`);
    expectRefusal(await arena.find({}, { token: pub.token }), "TOKEN_REVOKED");
    expectRefusal(await arena.join(lobby.lobbyId, {}, { token: pub.token }), "TOKEN_REVOKED");
    expectRefusal(await register(), "TOKEN_REVOKED");
    expect((await lobby.connect(seat)).status).toBe(200);
    expectEmpty(await arena.lobby(made.lobby_id, made.token).ready());
  });

  test("[IK1] [18] a retry with the same key has the same seat, for find, join and create", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const calls = [
      () => arena.find({ tags: null, party_size: 2 }, { key: "k1" }),
      () => arena.join(lobby.lobbyId, { party_size: 2 }, { key: "k1" }),
      () => arena.create({ region: "far" }, { key: "k1" }),
    ];
    for (const call of calls) {
      const answer = await call();
      expect(answer.status).toBe(200);
      const retries = await Promise.all(Array.from({ length: 5 }, call));
      for (const retry of retries) expectAnswer(retry, answer.json);
    }
    expect((await arena.lobbies()).map((each) => each.total_player_count)).toEqual([4, 1]);
  });

  test("the order of the fields is not part of the body", async () => {
    const arena = await arenaWith();
    await arena.ready();
    const send = (rawBody: string) =>
      at().service.request("POST", "/matchmaker/lobbies/find", {
        token: arena.pub,
        rawBody,
        headers: { "idempotency-key": "k" },
      });
    const answer = await send('{"game_modes":["duel"],"party_size":1}');
    expectAnswer(await send('{ "party_size": 1.0, "game_modes": ["duel"] }'), answer.json);
    expectAnswer(await send('{"game_modes":["duel"],"party_size":1,"tags":null,"explain":null}'), answer.json);
  });

  test("[IK2] [IK5] another body is refused; another client, operation or namespace is another call", async () => {
    const arena = await arenaWith({ max_players: 20, max_players_direct: 20 });
    const lobby = await arena.ready();
    const first = await arena.find({}, { key: "k", client: "192.0.2.1" });
    expectRefusal(
      await arena.find({ party_size: 2 }, { key: "k", client: "192.0.2.1" }),
      "MATCHMAKER_IDEMPOTENCY_KEY_REUSED",
    );
    const others = [
      await arena.find({}, { key: "k", client: "192.0.2.2" }),
      await arena.find({}, { key: "K", client: "192.0.2.1" }),
      await arena.join(lobby.lobbyId, {}, { key: "k", client: "192.0.2.1" }),
    ];
    await arena.create({}, { key: "k", client: "192.0.2.1" });
    expectRefusal(
      await arena.join(lobby.lobbyId, { party_size: 2 }, { key: "k", client: "192.0.2.1" }),
      "MATCHMAKER_IDEMPOTENCY_KEY_REUSED",
    );
    expectRefusal(
      await arena.create({ region: "far" }, { key: "k", client: "192.0.2.1" }),
      "MATCHMAKER_IDEMPOTENCY_KEY_REUSED",
    );
    expect(new Set([first, ...others].flatMap(tokensOf)).size).toBe(4);
    const neighbour = await createArena(at().service, config(), arena.namespace.game);
    await neighbour.ready();
    expect(tokensOf(await neighbour.find({ party_size: 2 }, { key: "k", client: "192.0.2.1" }))).toHaveLength(2);
  });

  test("[IK3] [IK4] a key holds while its seat does, at most ten minutes", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const ask = async () => tokensOf(await arena.find({}, { key: "k" }))[0]!;
    const first = await ask();
    await lobby.disconnect(first);
    const second = await ask();
    expect(second).not.toBe(first);
    await lobby.connect(second);
    at().clock.advance(599_999);
    expect(await ask()).toBe(second);
    at().clock.advance(1);
    expect(await ask()).not.toBe(second);
    expect((await lobby.seen()).total_player_count).toBe(2);
  });

  test("[18] a retry has its seat also when a deploy has taken the mode, the region or the right to find away", async () => {
    const arena = await arenaWith();
    await arena.ready({ tags: { map: "ice" } });
    const ask = () => arena.find({ regions: ["local"], tags: { map: "ice" } }, { key: "k" });
    const answer = await ask();
    const duel = { max_players: 2, taggable: true, runtime: { external: {} } };
    const documents = [
      { regions: { local: {} }, game_modes: { other: duel } },
      { regions: { moon: {} }, game_modes: { duel } },
      { regions: { local: {} }, game_modes: { duel: { ...duel, taggable: false } } },
      { regions: { local: {} }, game_modes: { duel: { ...duel, actions: { find: { enabled: false } } } } },
    ];
    for (const document of documents) {
      await arena.deploy(document);
      expect(tokensOf(await ask())).toEqual(tokensOf(answer));
    }
  });

  test("[IK8] a refused call leaves no key behind", async () => {
    const arena = await arenaWith();
    expectRefusal(await arena.find({}, { key: "k" }), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await arena.ready();
    expect((await arena.find({ party_size: 2 }, { key: "k" })).status).toBe(200);
  });

  test("[IK6] retries while the lobby starts are attached to the waiting seat", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register();
    const waiting = Array.from({ length: 6 }, () => arena.find({}, { key: "k" }));
    const seated = async () => (await lobby.seen()).total_player_count;
    await until(async () => (await seated()) === 1);
    await lobby.ready();
    const answers = await Promise.all(waiting);
    expect(new Set(answers.flatMap(tokensOf)).size).toBe(1);
    expect(await seated()).toBe(1);
  });

  test.each(["", " ", "a b", "x".repeat(129), "é"])("an Idempotency-Key cannot be %j", async (key) => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const options = { headers: { "idempotency-key": key } };
    for (const answer of [
      await arena.find({}, options),
      await arena.join(lobby.lobbyId, {}, options),
      await arena.create({}, options),
    ]) {
      expectRefusal(answer, "API_BAD_HEADER");
    }
    expect((await lobby.seen()).total_player_count).toBe(0);
  });

  test("a longest key works", async () => {
    const arena = await arenaWith();
    await arena.ready();
    expect((await arena.find({}, { key: "~".repeat(128) })).status).toBe(200);
  });
}
