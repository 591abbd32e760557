import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  type Arena,
  config,
  createArena,
  type LobbyAtHand,
  lobbyIdOf,
  type Matchmaker,
  tokensOf,
} from "../../support/arena.ts";
import { aTimestamp, aUuid, expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { createGame, until } from "../../support/harness.ts";

/** What players and operators are shown: lists, statistics, regions, the operator's view and its deletions. */
export function viewsTests(at: () => Matchmaker): void {
  const arenaWith = (mode: Record<string, unknown> = {}, modes: Record<string, unknown> = {}) =>
    createArena(at().service, config(mode, modes));

  const distance = { kilometers: 0, miles: 0 };
  const local = {
    region_id: "local",
    provider_display_name: "Home",
    region_display_name: "Local",
    datacenter_coord: { latitude: 52.5, longitude: 13.4 },
    datacenter_distance_from_client: distance,
  };
  const far = {
    region_id: "far",
    provider_display_name: "",
    region_display_name: "Far Away",
    datacenter_coord: { latitude: -33.9, longitude: 151.2 },
    datacenter_distance_from_client: distance,
  };

  test("[V17] a version is in use while a lobby of it that Foyer runs is alive", async () => {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    const arena = await arenaWith();
    runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
    const lobbyId = lobbyIdOf(await arena.find({ game_modes: ["match"] }));
    await arena.deploy(config());
    const path = `${arena.namespace.game.path}/versions/${arena.versionId}`;
    const remove = () => service.request("DELETE", path, { token: service.adminToken });
    expectRefusal(await remove(), "CLOUD_VERSION_IN_USE");
    await service.admin("DELETE", `${arena.namespace.path}/lobbies/${lobbyId}`);
    expectEmpty(await remove());
  });

  test("[Q1] list shows public, ready lobbies of listable modes, full and closed ones included", async () => {
    const hiddenMode = { max_players: 2, listable: false, runtime: { external: {} } };
    const arena = await arenaWith({}, { hidden: hiddenMode });
    const lobby = await arena.ready({ tags: { map: "ice" } });
    const full = await arena.ready({ region: "far" });
    await arena.join(full.lobbyId, { party_size: 4 });
    await full.setClosed(true);
    await arena.ready({ publicity: "private" });
    await arena.ready({ game_mode: "hidden" });
    await arena.register();
    await (await arena.ready()).stop();
    const entry = { game_mode_id: "duel", max_players_normal: 2, max_players_direct: 4, max_players_party: 2 };
    const whole = {
      game_modes: [{ game_mode_id: "duel" }, { game_mode_id: "match" }, { game_mode_id: "hidden" }],
      regions: [local, far],
      lobbies: [
        { ...entry, lobby_id: full.lobbyId, region_id: "far", total_player_count: 4, is_closed: true, tags: {} },
        {
          ...entry,
          lobby_id: lobby.lobbyId,
          region_id: "local",
          total_player_count: 0,
          is_closed: false,
          tags: { map: "ice" },
        },
      ],
    };
    expectAnswer(await arena.list(), whole);
    expectAnswer(await arena.list("?game_mode=duel&region=far"), { ...whole, lobbies: whole.lobbies.slice(0, 1) });
    expectAnswer(await arena.list("?game_mode=hidden"), { ...whole, lobbies: [] });
    expectAnswer(await arena.list("?game_mode=match&include_state=false"), { ...whole, lobbies: [] });
    const withState = await arena.list("?include_state=true");
    expect(withState.json.lobbies.map((each: { state: unknown }) => each.state)).toEqual([null, null]);
  });

  test("a list shows every state as the lobby set it", async () => {
    const arena = await arenaWith();
    const states = [
      'text with "quotes", \\ and \u2028 ünïcödé 🎲',
      { a: [1, { b: null }], "": "" },
      [],
      0,
      false,
      "",
      null,
    ];
    const expected = new Map<string, unknown>();
    for (const state of states) {
      const lobby = await arena.ready();
      expectEmpty(await lobby.call("PUT", "lobbies/state", state));
      expected.set(lobby.lobbyId, state);
    }
    const { json } = await arena.list("?include_state=true");
    const listed = json.lobbies.map(({ lobby_id, state }: { lobby_id: string; state: unknown }) => [lobby_id, state]);
    expect(new Map(listed)).toEqual(expected);
    const plain = json.lobbies.map(({ state: _, ...rest }: { state: unknown }) => rest);
    expectAnswer(await arena.list(), { ...json, lobbies: plain });
  });

  test("list refuses what it does not know", async () => {
    const arena = await arenaWith();
    expectRefusal(await arena.list("?game_mode=nothing"), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await arena.list("?game_mode=constructor"), "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expectRefusal(await arena.list("?region=nowhere"), "MATCHMAKER_REGION_NOT_FOUND");
    for (const query of ["limit=0", "limit=501", "limit=x", "include_state=maybe", "cursor=x", "cursor=", "other=1"]) {
      expectRefusal(await arena.list(`?${query}`), "API_BAD_QUERY", [[query.split("=")[0]!]]);
    }
  });

  test("[Q2] pages of a list miss and double nothing", async () => {
    const arena = await arenaWith();
    const made: string[] = [];
    for (let count = 0; count < 7; count++) {
      made.push((await arena.ready({ region: count % 2 === 0 ? "local" : "far" })).lobbyId);
    }
    const pages: string[][] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page = (await arena.list(`?limit=3${cursor && `&cursor=${cursor}`}`)).json as {
        lobbies: { lobby_id: string }[];
        cursor?: string;
      };
      pages.push(page.lobbies.map(({ lobby_id }) => lobby_id));
      cursor = page.cursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flat().sort()).toEqual([...made].sort());
  });

  test("[T46] a list with states has pages of 1 MiB, and misses nothing", async () => {
    const arena = await createArena(at().service);
    const ids: string[] = [];
    for (let i = 0; i < 70; i++) {
      const lobby = await arena.ready();
      expectEmpty(await lobby.call("PUT", "lobbies/state", "x".repeat(16_000)));
      ids.push(lobby.lobbyId);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await arena.list(`?include_state=true&limit=500${cursor ? `&cursor=${cursor}` : ""}`);
      expect(page.bytes.length).toBeLessThan(1.2 * 1024 * 1024);
      for (const { lobby_id, state } of page.json.lobbies) {
        expect(state).toHaveLength(16_000);
        seen.push(lobby_id);
      }
      expect(page.json.cursor === undefined).toBe(cursor !== undefined);
      cursor = page.json.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids.sort());
    expect((await arena.list("?limit=500")).json.lobbies).toHaveLength(70);
  });

  test("[T46] the operator's list has pages of 1 MiB, and misses nothing", async () => {
    const arena = await createArena(at().service);
    const tags = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`${index}`.padEnd(64, "t"), "x".repeat(256)]),
    );
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) {
      const row = await Promise.all(Array.from({ length: 20 }, () => arena.register({ tags })));
      ids.push(...row.map(({ lobbyId }) => lobbyId));
    }
    const seen: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const path = `${arena.namespace.path}/lobbies?limit=500${cursor ? `&cursor=${cursor}` : ""}`;
      const page = await at().service.admin("GET", path);
      expect(JSON.stringify(page).length).toBeLessThan(1.1 * 1024 * 1024);
      seen.push(...page.lobbies.map(({ lobby_id }: { lobby_id: string }) => lobby_id));
      cursor = page.cursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(2);
    expect(seen.sort()).toEqual(ids.sort());
  });

  test("[Q3] statistics count taken seats by mode and region", async () => {
    const arena = await arenaWith({}, { constructor: { max_players: 3, runtime: { external: {} } } });
    const statistics = () => arena.play("GET", "players/statistics");
    expectAnswer(await statistics(), { player_count: 0, game_modes: {} });
    const here = await arena.ready();
    await arena.ready({ region: "far" });
    const [token] = tokensOf(await arena.find({ party_size: 2 })) as [string];
    await here.connect(token);
    await arena.find({ regions: ["far"] });
    const duel = { player_count: 3, regions: { local: { player_count: 2 }, far: { player_count: 1 } } };
    expectAnswer(await statistics(), { player_count: 3, game_modes: { duel } });
    const odd = await arena.ready({ game_mode: "constructor" });
    expect(lobbyIdOf(await arena.find({ game_modes: ["constructor"] }))).toBe(odd.lobbyId);
    const one = { player_count: 1, regions: { local: { player_count: 1 } } };
    expectAnswer(await statistics(), { player_count: 4, game_modes: { duel, constructor: one } });
    await here.stop();
    expect((await statistics()).json.player_count).toBe(2);
  });

  test("regions are those of the deployed version, nearest first when the location is known", async () => {
    const arena = await arenaWith();
    const regions = (headers: Record<string, string> = {}) => arena.play("GET", "regions", undefined, { headers });
    expectAnswer(await regions(), { regions: [local, far] });
    const answer = await regions({ "x-foyer-coordinates": "-33.9, 151.2", "x-forwarded-for": "192.0.2.1" });
    const kilometers = expect.closeTo(16_090, -2);
    expectAnswer(answer, {
      regions: [far, { ...local, datacenter_distance_from_client: { kilometers, miles: expect.closeTo(9_998, -2) } }],
    });
  });

  test("the operator sees a lobby with its players", async () => {
    const arena = await arenaWith();
    const lobby = await arena.register({ tags: { map: "ice" } });
    await lobby.ready();
    const players = (await arena.find({ party_size: 2 }, { client: "192.0.2.9" })).json.players;
    await lobby.connect(players[0].token);
    const listed = {
      lobby_id: lobby.lobbyId,
      game_mode_id: "duel",
      region_id: "local",
      version_id: arena.versionId,
      status: "ready",
      publicity: "public",
      runtime: "external",
      is_closed: false,
      closed_by: [],
      is_silent: false,
      is_outdated: false,
      max_players_normal: 2,
      max_players_direct: 4,
      reserved_count: 1,
      connected_count: 1,
      total_player_count: 2,
      tags: { map: "ice" },
      ports: {
        default: {
          hostname: "duel.example.com",
          host: "duel.example.com:7777",
          port: 7777,
          is_tls: false,
          url: "ws://duel.example.com:7777",
        },
      },
      create_ts: aTimestamp,
      ready_ts: aTimestamp,
      heartbeat_ts: null,
      empty_since_ts: null,
      stop_ts: null,
      stop_reason: null,
      exit_code: null,
    };
    expect(await arena.lobbies()).toMatchObject([listed]);
    const seen = await lobby.seen();
    expect(seen).toMatchObject(listed);
    const base = { client: "192.0.2.9", reserve_ts: aTimestamp };
    expect(seen.players).toEqual([
      { ...base, player_id: players[0].player_id, status: "connected", connect_ts: aTimestamp, expires_ts: null },
      { ...base, player_id: players[1].player_id, status: "reserved", connect_ts: null, expires_ts: aTimestamp },
    ]);
    const expiresAt = Date.parse(seen.players[1].expires_ts);
    expect(expiresAt - Date.parse(seen.players[1].reserve_ts)).toBe(120_000);
  });

  test("a lobby's counts match the players in the same answer, whatever happens at the same time", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    let isOver = false;
    const playing = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const [token] = tokensOf(await arena.join(lobby.lobbyId));
        if (token !== undefined) await lobby.connect(token);
        if (token !== undefined) await lobby.disconnect(token);
      }
    });
    for (let look = 0; look < 100; look++) {
      const seen = await lobby.seen();
      const counted = (status: string) => seen.players.filter((player: { status: string }) => player.status === status);
      expect([seen.reserved_count, seen.connected_count, seen.total_player_count]).toEqual([
        counted("reserved").length,
        counted("connected").length,
        seen.players.length,
      ]);
    }
    isOver = true;
    await Promise.all(playing);
  });

  test("[Q5] the operator's list has pages, and stopped lobbies on demand", async () => {
    const { service } = at();
    const arena = await arenaWith();
    const lobbies: LobbyAtHand[] = [];
    for (let count = 0; count < 5; count++) lobbies.push(await arena.register());
    await lobbies[1]!.stop();
    const ids = lobbies.map(({ lobbyId }) => lobbyId);
    const shown = async (query: string) => (await arena.lobbies(query)).map(({ lobby_id }) => lobby_id);
    expect(await shown("")).toEqual(ids.filter((id) => id !== ids[1]));
    expect(await shown("?include_stopped=true")).toEqual(ids);
    const path = `${arena.namespace.path}/lobbies?limit=2`;
    const first = await service.admin("GET", path);
    const second = await service.admin("GET", `${path}&cursor=${first.cursor}`);
    expect([...first.lobbies, ...second.lobbies].map(({ lobby_id }) => lobby_id)).toEqual([ids[0], ...ids.slice(2)]);
    expect(second).not.toHaveProperty("cursor");
    const list = (query: string) =>
      service.request("GET", `${arena.namespace.path}/lobbies${query}`, { token: service.adminToken });
    for (const query of ["limit=0", "cursor=x", "include_stopped=2", "other=1"]) {
      expectRefusal(await list(`?${query}`), "API_BAD_QUERY", [[query.split("=")[0]!]]);
    }
  });

  test("the operator stops a lobby, as often as it likes", async () => {
    const { service } = at();
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const [token] = tokensOf(await arena.find()) as [string];
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}`;
    const stop = (at_ = path) => service.request("DELETE", at_, { token: service.adminToken });
    expectEmpty(await stop());
    expectEmpty(await stop());
    expect(await lobby.seen()).toMatchObject({ status: "stopped", stop_reason: "operator", players: [] });
    expectRefusal(await lobby.connect(token), "MATCHMAKER_LOBBY_STOPPED");
    at().clock.advance(600_000);
    const get = (at_: string) => service.request("GET", at_, { token: service.adminToken });
    for (const ask of [get, stop]) {
      expectRefusal(await ask(path), "CLOUD_LOBBY_NOT_FOUND");
      for (const id of [randomUUID(), "x", "%00"]) {
        expectRefusal(await ask(`${arena.namespace.path}/lobbies/${id}`), "CLOUD_LOBBY_NOT_FOUND");
      }
      const { path: game } = arena.namespace.game;
      expectRefusal(await ask(`${game}/namespaces/nothing/lobbies/${lobby.lobbyId}`), "CLOUD_NAMESPACE_NOT_FOUND");
      expectRefusal(await ask(`/cloud/games/nothing/namespaces/x/lobbies/${lobby.lobbyId}`), "CLOUD_GAME_NOT_FOUND");
    }
    const { path: game } = arena.namespace.game;
    expectRefusal(await get(`${game}/namespaces/nothing/lobbies`), "CLOUD_NAMESPACE_NOT_FOUND");
    expectRefusal(await get("/cloud/games/nothing/namespaces/x/lobbies"), "CLOUD_GAME_NOT_FOUND");
  });

  const deletions: [title: string, path: (arena: Arena) => string][] = [
    ["namespace", ({ namespace }) => namespace.path],
    ["game", ({ namespace }) => namespace.game.path],
  ];
  test.each(deletions)("[ST6] a %s is deleted with its lobbies only by force", async (_title, pathOf) => {
    const { service, runtime } = at();
    runtime.whileStarting = async () => {};
    runtime.onceStarted = () => {};
    const arena = await arenaWith();
    const lobby = await arena.ready();
    const [token] = tokensOf(await arena.find()) as [string];
    const waiting = arena.find({ game_modes: ["match"] });
    await until(() => runtime.starts.some(({ namespaceId }) => namespaceId === arena.namespace.namespaceId));
    const remove = (query = "") => service.request("DELETE", `${pathOf(arena)}${query}`, { token: service.adminToken });
    expectRefusal(await remove(), "CLOUD_NAMESPACE_NOT_EMPTY");
    expectRefusal(await remove("?force=false"), "CLOUD_NAMESPACE_NOT_EMPTY");
    expect((await lobby.connect(token)).status).toBe(200);
    expect(await arena.lobbies()).toHaveLength(2);

    expectEmpty(await remove("?force=true"));
    expectRefusal(await waiting, "MATCHMAKER_LOBBY_START_FAILED");
    const [start] = runtime.starts.filter(({ namespaceId }) => namespaceId === arena.namespace.namespaceId);
    await until(() => runtime.stops.includes(start!.lobbyId));
    expectRefusal(await arena.find(), "TOKEN_INVALID");
    expectRefusal(await lobby.heartbeat(), "TOKEN_INVALID");
    expectRefusal(await lobby.connect(token), "TOKEN_INVALID");
    expectRefusal(await lobby.call("GET", `lobbies/${lobby.lobbyId}/state`), "TOKEN_INVALID");
    expect((await service.request("GET", arena.namespace.path, { token: service.adminToken })).status).toBe(404);
  });

  test("without living lobbies a namespace and a game are deleted without force", async () => {
    const { service } = at();
    const arena = await arenaWith();
    const lobby = await arena.ready();
    await lobby.stop();
    const second = await createArena(service, config(), await createGame(service));
    for (const path of [arena.namespace.path, second.namespace.game.path]) {
      expectEmpty(await service.request("DELETE", path, { token: service.adminToken }));
    }
    expectRefusal(await lobby.heartbeat(), "TOKEN_INVALID");
    expect(lobby.lobbyId).toEqual(aUuid);
  });
}
