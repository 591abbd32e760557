import { describe, expect, test } from "vitest";
import { address, createArena } from "../support/arena.ts";
import { listenTo } from "../support/event-streams.ts";
import { createToken, type Service, until } from "../support/harness.ts";
import { install } from "./installation.ts";

const external = { runtime: { external: {} } };
const version = (mode: object = {}) => ({
  regions: { local: {} },
  game_modes: { duel: { max_players: 2, max_players_direct: 100, ...external, ...mode } },
});

/** Two nodes and a namespace that was made on the first. */
async function open(mode: object = {}) {
  const installation = await install();
  const [here, there] = [await installation.start("here"), await installation.start("there")];
  const arena = await createArena(here, version(mode));
  const find = (
    node: Service,
    body: object = {},
    headers: Record<string, string> = {},
    token: string | null = arena.pub,
  ) => node.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: ["duel"], ...body }, headers });
  return { installation, here, there, arena, find };
}

describe("what one node changes holds on the others", () => {
  test("[ND1] a revoked token is refused by the other node from the answer on, every time", async () => {
    const { here, there, arena, find } = await open();
    await arena.ready();
    for (let round = 0; round < 20; round++) {
      const { token, token_id } = await createToken(here, arena.namespace, "pub");
      expect((await find(there, { dry_run: true }, {}, token)).status).toBe(200);
      await here.admin("DELETE", `${arena.namespace.path}/tokens/${token_id}`);
      expect((await find(there, { dry_run: true }, {}, token)).json.code).toBe("TOKEN_REVOKED");
    }
  });

  test("[ND1] [RV3] lobbies of a server token that one node revokes are not found on the other from the answer on", async () => {
    const { here, there, arena, find } = await open();
    for (let round = 0; round < 5; round++) {
      const { token, token_id } = await createToken(here, arena.namespace, "server");
      const body = { game_mode: "duel", region: "local", ports: address };
      expect((await there.request("POST", "/matchmaker/lobbies/register", { token, body })).status).toBe(200);
      expect((await find(there, { dry_run: true })).json.lobby).not.toBeNull();
      await here.admin("DELETE", `${arena.namespace.path}/tokens/${token_id}`);
      expect((await find(there)).json.code).toBe("MATCHMAKER_NO_AVAILABLE_LOBBIES");
      const again = await there.request("POST", "/matchmaker/lobbies/register", { token, body });
      expect(again.json.code).toBe("TOKEN_REVOKED");
    }
  });

  test("[ND1] [BL2] a client that one node blocks is blocked on the other from the answer on, and served again", async () => {
    const { here, there, arena, find } = await open();
    await arena.ready();
    const blocks = `${arena.namespace.path}/blocks`;
    for (let round = 0; round < 5; round++) {
      expect((await find(there, { dry_run: true })).status).toBe(200);
      await here.admin("PUT", blocks, { client: "127.0.0.1" });
      expect((await find(there, { dry_run: true })).json.code).toBe("MATCHMAKER_CLIENT_BLOCKED");
      await there.admin("DELETE", `${blocks}?client=127.0.0.1`);
      expect((await find(here, { dry_run: true })).status).toBe(200);
    }
    expect((await find(there)).status).toBe(200);
    await here.admin("PUT", blocks, { client: "127.0.0.1", end_seats: true });
    expect((await arena.lobbies())[0].total_player_count).toBe(0);
  });

  test("[ND1] limits, deployed version and domains set on one node decide on the other from the answer on", async () => {
    const { here, there, arena, find } = await open();
    await arena.ready();
    for (let round = 0; round < 10; round++) {
      await there.admin("POST", `${arena.namespace.path}/mm-config`, { lobby_count_max: 10, max_players: 0 });
      expect((await find(here)).json.code).toBe("MATCHMAKER_NO_AVAILABLE_LOBBIES");
      await here.admin("POST", `${arena.namespace.path}/mm-config`, { lobby_count_max: 10, max_players: 100 });
      expect((await find(there, { dry_run: true })).json.lobby).not.toBeNull();
    }
    await arena.deploy(version({ max_players: 3 }));
    expect((await find(there)).json.code).toBe("MATCHMAKER_NO_AVAILABLE_LOBBIES");

    const fromPage = { origin: "https://play.example.com" };
    await here.admin("POST", `${arena.namespace.path}/domains`, { domain: "play.example.com" });
    const elsewhere = { origin: "https://elsewhere.example.com" };
    expect((await find(there, {}, elsewhere)).json.code).toBe("TOKEN_FORBIDDEN");
    expect((await find(there, { dry_run: true }, fromPage, null)).status).toBe(401);
    await here.admin("PUT", `${arena.namespace.path}/domain-public-auth`, { enabled: true });
    expect((await find(there, { dry_run: true }, fromPage, null)).json.code).toBe("MATCHMAKER_NO_AVAILABLE_LOBBIES");
    await there.admin("DELETE", `${arena.namespace.path}/domains/play.example.com`);
    expect((await find(here, { dry_run: true }, fromPage, null)).status).toBe(401);
  });

  test("[ND1] [G7] a namespace that one node deletes is gone on the other, with its lobbies", async () => {
    const { here, there, arena, find } = await open();
    const lobby = await arena.ready();
    expect((await find(there)).status).toBe(200);
    await here.admin("DELETE", `${arena.namespace.path}?force=true`);
    expect((await find(there)).status).toBe(401);
    const heartbeat = { token: lobby.token, body: {} };
    expect((await there.request("POST", "/matchmaker/lobbies/heartbeat", heartbeat)).status).toBe(401);
  });
});

describe("what one node decides the others know", () => {
  test("[ND5] a find that waits on one node is answered when the other one receives the lobby's ready", async () => {
    const { here, there, arena, find } = await open();
    const lobby = await arena.register();
    const waiting = find(here);
    await until(async () => (await lobby.seen()).total_player_count === 1);
    await there.request("POST", "/matchmaker/lobbies/ready", { token: lobby.token });
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.json.lobby.lobby_id).toBe(lobby.lobbyId);
    const connected = await there.request("POST", "/matchmaker/players/connected", {
      token: lobby.token,
      body: { player_token: answer.json.player.token },
    });
    expect(connected.status).toBe(200);
  });

  test("[ND6] a retry with the same key has the same seat on any node", async () => {
    const { here, there, arena, find } = await open();
    await arena.ready();
    const key = { "idempotency-key": "once" };
    const first = await find(here, {}, key);
    const again = await find(there, {}, key);
    expect(again.json.players).toEqual(first.json.players);
    expect((await find(there, { party_size: 2 }, key)).json.code).toBe("MATCHMAKER_IDEMPOTENCY_KEY_REUSED");
  });

  test("[ND6] an event stream that began on one node continues on the other, without gap or repetition", async () => {
    const { here, there, arena, find } = await open({ max_players: 100 });
    await arena.ready();
    const path = `${arena.namespace.path}/events`;
    const first = await listenTo(here, path, { token: here.adminToken });
    for (let i = 0; i < 5; i++) await find(i % 2 === 0 ? here : there);
    const received = await first.first(5);
    first.leave();
    for (let i = 0; i < 7; i++) await find(i % 2 === 0 ? here : there);
    const second = await listenTo(there, path, { token: there.adminToken, lastEventId: received[2]!.id });
    const rest = await second.first(9);
    await find(here);
    const all = await second.first(10);
    second.leave();
    expect(rest.slice(0, 2).map(({ id }) => id)).toEqual(received.slice(3, 5).map(({ id }) => id));
    const players = [...received.slice(0, 3), ...all].map(({ data }) => data.player_id);
    expect(new Set(players).size).toBe(13);
    expect(all.every(({ event }) => event === "player.reserved")).toBe(true);
  });

  test("[TL4] a lobby's timeline has what was answered before it is asked for, on either node", async () => {
    const { here, there, arena } = await open();
    const lobby = await arena.ready();
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}`;
    const seatsIn = async (node: Service) =>
      (await node.admin("GET", path)).lobby.timeline.filter(({ event }: { event: string }) =>
        event.startsWith("player"),
      ).length;
    await arena.limit({ max_players: 100 });
    for (let round = 1; round <= 20; round++) {
      expect((await arena.join(lobby.lobbyId)).status).toBe(200);
      expect([await seatsIn(there), await seatsIn(here)]).toEqual([round, round]);
    }
  });

  test("[ND6] [TL1] a node that starts later knows what happened to a lobby before", async () => {
    const { installation, here, arena, find } = await open();
    const lobby = await arena.ready();
    await find(here);
    const late = await installation.start("late");
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}`;
    const timeline = async (node: Service) =>
      (await node.admin("GET", path)).lobby.timeline.map(({ event }: { event: string }) => event);
    const known = await timeline(here);
    expect(known).toContain("player.reserved");
    expect(await timeline(late)).toEqual(known);
  });

  test("[ND6] an id that no stream ever gave is answered with a reset", async () => {
    const { there, arena } = await open();
    const listener = await listenTo(there, `${arena.namespace.path}/events`, {
      token: there.adminToken,
      lastEventId: "something-else",
    });
    expect((await listener.first(1))[0]!.event).toBe("reset");
    listener.leave();
  });
});

describe("limits are exact across nodes", () => {
  test("[ND10] [L4] [5] of 64 finds of one client on two nodes exactly as many get a seat as it may have", async () => {
    const { here, there, arena, find } = await open({ max_players: 100 });
    await arena.ready();
    await arena.limit({ lobby_count_max: 10, max_players: 100, max_players_per_client: 8 });
    const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => find(i % 2 === 0 ? here : there)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(answers.filter(({ json }) => json.code === "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE")).toHaveLength(56);
  });

  test("[CO4] of 64 lobbies that are made at once on two nodes each has a code of its own, good on both", async () => {
    const { here, there, arena } = await open({ codes: { enabled: true, length: 4 } });
    const body = { game_mode: "duel", region: "local", ports: address };
    const made = await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        (at % 2 === 0 ? here : there).request("POST", "/matchmaker/lobbies/register", { token: arena.server, body }),
      ),
    );
    const codes = made.map(({ json }) => json.code);
    expect(new Set(codes).size).toBe(64);
    const { json } = made[0]!;
    await here.request("POST", "/matchmaker/lobbies/ready", { token: json.token });
    const join = { token: arena.pub, body: { code: json.code.toLowerCase() } };
    const joined = await there.request("POST", "/matchmaker/lobbies/join", join);
    expect(joined.json.lobby).toMatchObject({ lobby_id: json.lobby_id, code: json.code });
  });

  test("[KY8] of 64 finds with one vouched key at once on two nodes exactly one takes a seat", async () => {
    const { here, there, arena } = await open({ max_players: 100 });
    await arena.ready();
    const body = { game_modes: ["duel"], players: [{ key: "steam:1" }], prevent_auto_create_lobby: true };
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        (at % 2 === 0 ? here : there).request("POST", "/matchmaker/lobbies/find", { token: arena.server, body }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ json }) => json?.code === "MATCHMAKER_PLAYER_ALREADY_SEATED")).toHaveLength(63);
  });

  test("[ND10] [L1] [15] of 50 registrations on two nodes exactly lobby_count_max succeed", async () => {
    const { here, there, arena } = await open();
    await arena.limit({ lobby_count_max: 5, max_players: 100 });
    const body = {
      game_mode: "duel",
      region: "local",
      ports: { default: { hostname: "game.example.com", port: 7777, is_tls: false } },
    };
    const register = (node: Service) =>
      node.request("POST", "/matchmaker/lobbies/register", { token: arena.server, body });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => register(i % 2 === 0 ? here : there)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ json }) => json?.code === "MATCHMAKER_TOO_MANY_LOBBIES")).toHaveLength(45);
  });
});

test("[ND7] nodes that share a secret share the admin token, and a node without Redis is kept away from their database", async () => {
  const { installation, here, there, arena } = await open();
  expect(there.adminToken).toBe(here.adminToken);
  await expect(installation.start("alone", { redisUrl: null })).rejects.toThrow(/Another Foyer uses this PostgreSQL/);
  expect((await arena.ready()).lobbyId).not.toBe("");
});

test("[ND7] a node with another secret is refused; a changed secret is accepted together with the old one", async () => {
  const installation = await install();
  await installation.start("first");
  const other = "another secret, which is long enough as well";
  await expect(installation.start("stranger", { secret: other })).rejects.toThrow(
    /Nodes with another FOYER_SECRET use/,
  );
  const secret = "the secret of the tests, which is long enough";
  const changed = await installation.start("changed", { secret: other, previousSecret: secret });
  expect((await changed.request("GET", "/healthz")).status).toBe(200);
});
