import { expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createToken } from "../../support/harness.ts";

type Json = Record<string, unknown>;

/** The studio's own names for players. */
export function playerKeysTests(at: () => Matchmaker): void {
  const open = { max_players: 50, max_players_direct: 50, player_keys: "open" };

  async function arenaWith(mode: Json = {}, modes: Json = {}) {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    const arena = await createArena(service, config({ max_players: 50, max_players_direct: 50, ...mode }, modes));
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    return arena;
  }
  const backend = (arena: Arena) => ({ token: arena.server });
  const keyed = (...keys: (string | null)[]) => ({ players: keys.map((key) => ({ key })) });

  test("[KY6] players take the place of party_size, and are answered in their order", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const answer = await arena.find({ players: [{ key: "b" }, {}, { key: "a" }] }, backend(arena));
    const tokens = tokensOf(answer);
    expect(tokens).toHaveLength(3);
    const keys = [];
    for (const token of tokens) keys.push((await lobby.connect(token)).json.key);
    expect(keys).toEqual(["b", undefined, "a"]);
    expect(tokensOf(await arena.find({ players: [{}, {}] }))).toHaveLength(2);
    expect(tokensOf(await arena.find({ players: null, party_size: 2 }))).toHaveLength(2);
  });

  test("[KY6] a bad list of players is 400, for every caller", async () => {
    const arena = await arenaWith(open);
    const lobby = await arena.ready();
    const dev = (await createToken(at().service, arena.namespace, "dev")).token;
    const bad: Json[] = [
      { players: [{}], party_size: 1 },
      { players: [] },
      { players: [{ key: "a" }, { key: "a" }] },
      { players: Array.from({ length: 65 }, () => ({})) },
      ...["", "x".repeat(129), "a b", "é", "a\u0000", 7, {}].map((key) => ({ players: [{ key }] })),
      { players: [{ name: "a" }] },
      { players: ["a"] },
    ];
    for (const body of bad) {
      for (const token of [arena.pub, arena.server, dev]) {
        expectRefusal(await arena.find(body, { token }), "API_BAD_BODY");
        expectRefusal(await arena.join(lobby.lobbyId, body, { token }), "API_BAD_BODY");
        expectRefusal(await arena.create(body, { token }), "API_BAD_BODY");
      }
    }
    const both = await arena.find({ players: [{ key: "a" }, { key: "a" }], party_size: 2 });
    expect(both.json.errors.map(({ path }: { path: string[] }) => path)).toEqual([
      ["players"],
      ["players", "1", "key"],
    ]);
    expect((await lobby.seen()).players).toEqual([]);
    expect((await arena.find(keyed("x".repeat(128), "!~"), { token: dev })).json.players).toHaveLength(2);
  });

  test("[KY7] where keys must be vouched for, a player's key is refused, by find for one such mode", async () => {
    const arena = await arenaWith({}, { free: { ...open, runtime: { external: {} } } });
    const lobby = await arena.ready();
    const free = await arena.ready({ game_mode: "free" });
    for (const options of [{}, { client: "192.0.2.1" }]) {
      expectRefusal(await arena.find(keyed("a"), options), "MATCHMAKER_KEY_NOT_VOUCHED");
      const modes = { game_modes: ["free", "duel"] };
      expectRefusal(await arena.find({ ...modes, ...keyed("a") }, options), "MATCHMAKER_KEY_NOT_VOUCHED");
      expectRefusal(await arena.join(lobby.lobbyId, keyed(null, "a"), options), "MATCHMAKER_KEY_NOT_VOUCHED");
      expectRefusal(await arena.create(keyed("a"), options), "MATCHMAKER_KEY_NOT_VOUCHED");
    }
    expect((await arena.find(keyed(null, null))).status).toBe(200);
    expect(lobbyIdOf(await arena.find({ game_modes: ["free"], ...keyed("a") }))).toBe(free.lobbyId);
    // The lobby keeps what its mode said when it was made.
    await arena.deploy(config(open));
    expectRefusal(await arena.join(lobby.lobbyId, keyed("a")), "MATCHMAKER_KEY_NOT_VOUCHED");
  });

  test("[KY8] a vouched key has one seat; the refusal says which players sit where", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const first = await arena.find(keyed("steam:1"), backend(arena));
    const metadata = { players: [{ index: 1, lobby_id: lobby.lobbyId }] };
    const other = { token: (await createToken(at().service, arena.namespace, "server")).token };
    for (const options of [backend(arena), other]) {
      const refused = [
        await arena.find(keyed("steam:2", "steam:1"), options),
        await arena.find({ ...keyed("steam:2", "steam:1"), dry_run: true, explain: true }, options),
        await arena.join(lobby.lobbyId, keyed("steam:2", "steam:1"), options),
        await arena.create(keyed("steam:2", "steam:1"), options),
      ];
      for (const answer of refused) {
        expectRefusal(answer, "MATCHMAKER_PLAYER_ALREADY_SEATED");
        expect(answer.json.metadata).toEqual(metadata);
      }
    }
    expect((await lobby.seen()).players).toHaveLength(1);
    await lobby.disconnect(tokensOf(first)[0]!);
    expect(tokensOf(await arena.find(keyed("steam:2", "steam:1"), other))).toHaveLength(2);
  });

  test("[KY8] in an operator's preview of a find keys count as vouched", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    await arena.find(keyed("steam:1"), backend(arena));
    const preview = (body: Json, client: Json | null) => {
      const whole = { game_modes: ["duel"], ...body, client };
      const path = `${arena.namespace.path}/lobbies/preview-find`;
      return at().service.request("POST", path, { token: at().service.adminToken, body: whole });
    };
    for (const client of [null, { address: "192.0.2.1" }]) {
      expect((await preview(keyed("steam:2"), client)).json).toMatchObject({ lobby: { lobby_id: lobby.lobbyId } });
      const seated = (await preview(keyed("steam:1"), client)).json;
      expect(seated).toMatchObject({ lobby: null, refusal: { code: "MATCHMAKER_PLAYER_ALREADY_SEATED" } });
    }
    expectRefusal(await preview({ ...keyed("a", "a") }, null), "API_BAD_BODY");
  });

  test("[KY8] of 64 finds at the same time with one vouched key, exactly one takes a seat", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const finds = Array.from({ length: 64 }, () => arena.find(keyed("steam:1"), backend(arena)));
    const answers = await Promise.all(finds);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectRefusal(answer, "MATCHMAKER_PLAYER_ALREADY_SEATED");
    }
    expect((await lobby.seen()).players).toHaveLength(1);
  });

  test("[KY9] an open key is unique within its client, and in the way of no other client", async () => {
    const arena = await arenaWith(open);
    const lobby = await arena.ready();
    for (const options of [{ client: "192.0.2.1" }, { client: "192.0.2.2" }, backend(arena)]) {
      expect(lobbyIdOf(await arena.find(keyed("a"), options))).toBe(lobby.lobbyId);
      expectRefusal(await arena.find(keyed("a"), options), "MATCHMAKER_PLAYER_ALREADY_SEATED");
    }
  });

  test("[KY10] [KY11] only the lobby and operators see keys", async () => {
    const arena = await arenaWith(open);
    const lobby = await arena.ready();
    const [vouched] = tokensOf(await arena.find(keyed("steam:1"), backend(arena)));
    const found = await arena.find(keyed("discord:2"));
    const [own] = tokensOf(found);
    await arena.find();
    const first = await lobby.connect(vouched!);
    expect(first.json).toMatchObject({ key: "steam:1", is_key_vouched: true });
    const second = await lobby.connect(own!);
    expect(second.json).toMatchObject({ key: "discord:2", is_key_vouched: false });
    const beat = (await lobby.heartbeat()).json;
    expect(beat.players).toEqual([
      { player_id: first.json.player_id, key: "steam:1", is_key_vouched: true, is_held: false },
      { player_id: second.json.player_id, key: "discord:2", is_key_vouched: false, is_held: false },
    ]);
    expect(beat.player_ids).toEqual([first.json.player_id, second.json.player_id]);
    const { players, timeline } = await lobby.seen();
    expect(players.map(({ key, is_key_vouched }: Json) => [key, is_key_vouched])).toEqual([
      ["steam:1", true],
      ["discord:2", false],
      [undefined, undefined],
    ]);
    const { service } = at();
    const withKey = async (key: string) =>
      (await arena.lobbies(`?player_key=${encodeURIComponent(key)}`)).map(({ lobby_id }) => lobby_id);
    expect(await withKey("steam:1")).toEqual([lobby.lobbyId]);
    expect(await withKey("discord:2")).toEqual([lobby.lobbyId]);
    expect(await withKey("steam:")).toEqual([]);
    const { path } = arena.namespace;
    const token = service.adminToken;
    expectRefusal(await service.request("GET", `${path}/lobbies?player_key=a%20b`, { token }), "API_BAD_QUERY");
    const others = [
      found.text,
      (await arena.list("?include_state=true")).text,
      (await arena.find({ explain: true })).text,
      (await arena.play("GET", "players/statistics")).text,
      JSON.stringify(await arena.lobbies()),
      JSON.stringify(timeline),
    ];
    for (const text of others) expect(text).not.toMatch(/steam:1|discord:2/);
  });

  test("[KY12] of several refusals the first in the contract's order is given", async () => {
    const arena = await arenaWith({ actions: { join: { enabled: false }, create: { enabled: true } } });
    const lobby = await arena.ready();
    await arena.limit({ max_players_per_client: 0 });
    const key = keyed("a");
    const first = async (body: Json, code: Parameters<typeof expectRefusal>[1]) => {
      expectRefusal(await arena.find(body), code);
      const { game_modes, regions, ...rest } = body;
      const one = {
        ...(game_modes !== undefined && { game_mode: "none" }),
        ...(regions !== undefined && { region: "x" }),
      };
      expectRefusal(await arena.create({ ...rest, ...one }), code);
    };
    const all = { version: "none", game_modes: ["none"], max_players: 9, regions: ["x"], ...key };
    await first(all, "MATCHMAKER_VERSION_NOT_DEPLOYED");
    await first({ ...all, version: null }, "MATCHMAKER_GAME_MODE_NOT_FOUND");
    await first({ max_players: 9, regions: ["x"], ...key }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED");
    await first({ regions: ["x"], ...key }, "MATCHMAKER_REGION_NOT_FOUND");
    await first(key, "MATCHMAKER_KEY_NOT_VOUCHED");
    await first({}, "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    expectRefusal(await arena.join(lobby.lobbyId, key), "MATCHMAKER_JOIN_DISABLED");
    await lobby.stop();
    expectRefusal(await arena.join(lobby.lobbyId, key), "MATCHMAKER_LOBBY_STOPPED");
  });

  test("[KY13] a backend resumes and releases the seat of a key that it vouched for", async () => {
    const arena = await arenaWith({ player_keys: "open", timeouts: { reconnect_s: 60 } });
    const lobby = await arena.ready();
    const byKey = (call: "resume" | "release", key: string, options: object = backend(arena)) =>
      arena.play("POST", `players/${call}`, { key }, options);
    expectRefusal(await byKey("resume", "a"), "MATCHMAKER_PLAYER_NOT_FOUND");
    const found = await arena.find(keyed("other", "a"), backend(arena));
    const token = tokensOf(found)[1]!;
    // The label of a player is not in its way.
    await arena.join(lobby.lobbyId, keyed("a", "label"));

    const resumed = await byKey("resume", "a");
    expect(resumed.json.player).toEqual({ token });
    expect(resumed.json.players).toHaveLength(1);
    expectRefusal(await byKey("resume", "label"), "MATCHMAKER_PLAYER_NOT_FOUND");
    for (const call of ["resume", "release"] as const) {
      const dev = (await createToken(at().service, arena.namespace, "dev")).token;
      for (const options of [{}, { token: dev }]) {
        expectRefusal(await byKey(call, "a", options), "MATCHMAKER_KEY_NOT_VOUCHED");
      }
      for (const body of [{}, { key: "a", player_token: token }, { key: null }]) {
        expectRefusal(await arena.play("POST", `players/${call}`, body, backend(arena)), "API_BAD_BODY");
      }
    }

    await lobby.connect(token);
    expectRefusal(await byKey("release", "a"), "MATCHMAKER_PLAYER_ALREADY_CONNECTED");
    expect((await byKey("resume", "a")).json.player).toEqual({ token });
    await lobby.call("POST", "players/disconnected", { player_token: token, may_return: true });
    expect((await byKey("release", "a")).status).toBe(204);
    expectRefusal(await byKey("release", "a"), "MATCHMAKER_PLAYER_NOT_FOUND");
    expectRefusal(await byKey("resume", "a"), "MATCHMAKER_PLAYER_NOT_FOUND");
    expect((await byKey("resume", "other")).json.player).toEqual({ token: tokensOf(found)[0] });
  });
}
