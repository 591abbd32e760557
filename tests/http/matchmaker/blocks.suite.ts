import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, tokensOf } from "../../support/arena.ts";
import { aTimestamp, expectAnswer, expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";
import { openRaw } from "../../support/raw.ts";

/** Clients that an operator does not want to see. */
export function blocksTests(at: () => Matchmaker): void {
  const arenaWith = () => createArena(at().service, config({ max_players: 50, max_players_direct: 50 }));
  const asAdmin = () => ({ token: at().service.adminToken });
  const block = (arena: Arena, body: object) =>
    at().service.request("PUT", `${arena.namespace.path}/blocks`, { ...asAdmin(), body });
  const unblock = (arena: Arena, client: string) =>
    at().service.request("DELETE", `${arena.namespace.path}/blocks?client=${encodeURIComponent(client)}`, asAdmin());
  const list = (arena: Arena, query = "") =>
    at().service.request("GET", `${arena.namespace.path}/blocks${query}`, asAdmin());
  const from = (client: string) => ({ client });
  const isServed = async (arena: Arena, client: string) => {
    const answer = await arena.find({ dry_run: true }, from(client));
    if (answer.status !== 200) expectRefusal(answer, "MATCHMAKER_CLIENT_BLOCKED");
    return answer.status === 200;
  };

  test("[BL2] every call of a blocked client is 403, before its body is looked at, and those of others are not", async () => {
    const arena = await arenaWith();
    const lobby = await arena.ready();
    expectEmpty(await block(arena, { client: "192.0.2.1" }));
    const bad = from("192.0.2.1");
    const calls: [string, string, unknown][] = [
      ["POST", "lobbies/find", { game_modes: ["duel"] }],
      ["POST", "lobbies/find", { no_such_field: 1 }],
      ["POST", "lobbies/join", { lobby_id: lobby.lobbyId }],
      ["POST", "lobbies/create", { game_mode: "match" }],
      ["GET", "lobbies/list", undefined],
      ["GET", "players/statistics", undefined],
      ["GET", "regions", undefined],
    ];
    for (const [method, path, body] of calls) {
      expectRefusal(await arena.play(method, path, body, bad), "MATCHMAKER_CLIENT_BLOCKED");
    }
    expect(lobbyIdOf(await arena.find({}, from("192.0.2.2")))).toBe(lobby.lobbyId);
    expectRefusal(await arena.find({}, { ...bad, token: "pub_nonsense" }), "TOKEN_INVALID");
    const elsewhere = await createArena(at().service);
    expect(await isServed(elsewhere, "192.0.2.1").catch(() => true)).toBe(true);
  });

  test("[BL2] a page without a token is blocked as well; servers and lobbies are no clients", async () => {
    const arena = await arenaWith();
    const domain = `play-${randomUUID().slice(0, 8)}.example.com`;
    await at().service.admin("POST", `${arena.namespace.path}/domains`, { domain });
    await at().service.admin("PUT", `${arena.namespace.path}/domain-public-auth`, { enabled: true });
    await block(arena, { client: "192.0.2.0/24" });
    const page = { token: null, client: "192.0.2.7", headers: { origin: `https://${domain}` } };
    expectRefusal(await arena.play("GET", "regions", undefined, page), "MATCHMAKER_CLIENT_BLOCKED");
    const address = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
    const registered = await arena.play(
      ...(["POST", "lobbies/register", { game_mode: "duel", region: "local", ports: address }] as const),
      { token: arena.server, client: "192.0.2.7" },
    );
    expect(registered.status).toBe(200);
    const lobby = { token: registered.json.token, client: "192.0.2.7" };
    expectEmpty(await arena.play("POST", "lobbies/ready", undefined, lobby));
  });

  test("[BL2] also a program on the same machine can be blocked", async () => {
    const arena = await arenaWith();
    await arena.ready();
    expect((await arena.find()).status).toBe(200);
    await block(arena, { client: "127.0.0.1" });
    expectRefusal(await arena.find(), "MATCHMAKER_CLIENT_BLOCKED");
    expectEmpty(await unblock(arena, "127.0.0.1"));
    expect((await arena.find()).status).toBe(200);
  });

  test("[BL1] [BL5] blocks are listed in their normal form, page by page; setting one again replaces it", async () => {
    const arena = await arenaWith();
    await arena.ready();
    const until_ts = new Date(at().clock.now() + 60_000).toISOString();
    expectEmpty(await block(arena, { client: "192.0.2.77/24", note: "first" }));
    expectEmpty(await block(arena, { client: "2001:DB8:0:1:2:3:4:5", until_ts: null, note: null, end_seats: null }));
    expectEmpty(await block(arena, { client: "192.0.2.0/24", note: "second", until_ts }));
    const [first, second] = [
      { client: "192.0.2.0/24", create_ts: aTimestamp, until_ts, note: "second" },
      { client: "2001:db8:0:1::/64", create_ts: aTimestamp },
    ];
    expectAnswer(await list(arena), { blocks: [first, second] });
    const page = (await list(arena, "?limit=1")).json;
    expect(page).toEqual({ blocks: [first], cursor: expect.any(String) });
    expectAnswer(await list(arena, `?limit=1&cursor=${page.cursor}`), { blocks: [second] });
    for (const query of [
      "?cursor=x",
      "?limit=0",
      "?other=1",
      `?cursor=${Buffer.from("192.0.2.77/24").toString("base64url")}`,
    ]) {
      expectRefusal(await list(arena, query), "API_BAD_QUERY");
    }
    expect(await isServed(arena, "2001:db8:0:1::99")).toBe(false);
    expect(await isServed(arena, "2001:db8:0:2::99")).toBe(true);
    expectEmpty(await unblock(arena, "2001:db8:0:1:ffff::"));
    expectEmpty(await unblock(arena, "2001:db8:0:1::"));
    expect(await isServed(arena, "2001:db8:0:1::99")).toBe(true);
    expectRefusal(await unblock(arena, "nobody"), "API_BAD_QUERY", [["client"]]);
    expectRefusal(await unblock(arena, "10.0.0.0/8"), "API_BAD_QUERY", [["client"]]);
    expectEmpty(await unblock(arena, "192.0.2.0/25"));
    expect(await isServed(arena, "192.0.2.1")).toBe(false);
  });

  test("[BL4] a block ends by itself, and is not listed any more", async () => {
    const { clock } = at();
    const arena = await arenaWith();
    await arena.ready();
    await block(arena, { client: "192.0.2.1", until_ts: new Date(clock.now() + 1000).toISOString() });
    clock.advance(999);
    expect(await isServed(arena, "192.0.2.1")).toBe(false);
    clock.advance(1);
    expect(await isServed(arena, "192.0.2.1")).toBe(true);
    expectAnswer(await list(arena), { blocks: [] });
  });

  test("[BL1] what names no clients, and an end that has passed, are refused, and nothing changes", async () => {
    const arena = await arenaWith();
    const past = new Date(at().clock.now()).toISOString();
    for (const [body, paths] of [
      [{ client: "somebody" }, [["client", "invalid"]]],
      [{ client: "10.0.0.0/8" }, [["client", "out_of_range"]]],
      [{ client: "2001:db8::/128" }, [["client", "out_of_range"]]],
      [{ client: "192.0.2.1", until_ts: past }, [["until_ts", "out_of_range"]]],
      [{ client: "", until_ts: past }, undefined],
      [
        { client: "x", until_ts: past },
        [
          ["client", "invalid"],
          ["until_ts", "out_of_range"],
        ],
      ],
    ] as const) {
      if (paths === undefined) expectRefusal(await block(arena, body), "API_BAD_BODY", [["client"]]);
      else expectRefusal(await block(arena, body), "CLOUD_VALIDATION_ERROR", paths);
    }
    const shapes: [object, string][] = [
      [{}, "client"],
      [{ client: 1 }, "client"],
      [{ client: "192.0.2.1", note: "x".repeat(257) }, "note"],
      [{ client: "192.0.2.1", until_ts: "soon" }, "until_ts"],
      [{ client: "192.0.2.1", end_seats: "yes" }, "end_seats"],
      [{ client: "192.0.2.1", reason: "x" }, "reason"],
    ];
    for (const [body, field] of shapes) expectRefusal(await block(arena, body), "API_BAD_BODY", [[field]]);
    expectAnswer(await list(arena), { blocks: [] });
    for (const place of [`/cloud/games/${randomUUID()}/namespaces/x`, `${arena.namespace.game.path}/namespaces/x`]) {
      const code = place.includes("my") ? "CLOUD_NAMESPACE_NOT_FOUND" : undefined;
      for (const [method, query, body] of [
        ["PUT", "", { client: "192.0.2.1" }],
        ["GET", "", undefined],
        ["DELETE", "?client=192.0.2.1", undefined],
      ] as const) {
        const answer = await at().service.request(method, `${place}/blocks${query}`, {
          ...asAdmin(),
          ...(body && { body }),
        });
        expect(answer.json.code).toBe(
          code ?? (place.startsWith(arena.namespace.game.path) ? "CLOUD_NAMESPACE_NOT_FOUND" : "CLOUD_GAME_NOT_FOUND"),
        );
      }
    }
  });

  describe("end_seats", () => {
    test("[BL7] ends the seats of the client: its players are gone for the lobby and in all counts", async () => {
      const arena = await arenaWith();
      const lobby = await arena.ready();
      const mine = tokensOf(await arena.find({ party_size: 3 }, from("192.0.2.1")));
      const [other] = tokensOf(await arena.find({}, from("192.0.2.2")));
      await lobby.connect(mine[0]!);
      const { player_id } = (await lobby.connect(other!)).json;
      expectEmpty(await block(arena, { client: "192.0.2.0/24", end_seats: false }));
      expect((await lobby.seen()).total_player_count).toBe(4);
      expectEmpty(await block(arena, { client: "192.0.2.1", end_seats: true }));
      expect((await lobby.seen()).players).toMatchObject([{ player_id, client: "192.0.2.2" }]);
      expect((await lobby.heartbeat({})).json.player_ids).toEqual([player_id]);
      for (const token of mine) expectRefusal(await lobby.connect(token), "MATCHMAKER_PLAYER_REMOVED");
      const left = (await lobby.seen()).timeline.filter(({ event }: { event: string }) => event === "player.left");
      expect(left).toHaveLength(3);
      for (const { details } of left) expect(details).toMatchObject({ status: "left", reason: "blocked" });
    });

    test("[BL8] a find that waits for its lobby while its client is blocked is refused, not answered with the lobby", async () => {
      const arena = await arenaWith();
      const lobby = await arena.register();
      const waiting = arena.find({}, from("192.0.2.9"));
      await until(async () => (await lobby.seen()).total_player_count === 1);
      expectEmpty(await block(arena, { client: "192.0.2.9", end_seats: true }));
      await lobby.ready();
      expectRefusal(await waiting, "MATCHMAKER_CLIENT_BLOCKED");
      expect((await lobby.seen()).total_player_count).toBe(0);
    });

    test("[BL8] a call that was let in before the block takes no seat after it", async () => {
      const { service } = at();
      const arena = await arenaWith();
      await arena.ready();
      await arena.find({}, from("192.0.2.9"));
      const tokens = async () => (await service.admin("GET", `${arena.namespace.path}/tokens`)).tokens;
      const isUsedAfter = (ts: string) => async () =>
        (await tokens()).some(({ kind, last_used_ts }: Record<string, string>) => kind === "pub" && last_used_ts! > ts);
      for (const [path, call] of [
        ["find", { game_modes: ["duel"] }],
        ["join", { lobby_id: (await arena.lobbies())[0].lobby_id }],
        ["create", { game_mode: "match" }],
      ] as const) {
        const client = `198.51.100.${path.length}`;
        const body = JSON.stringify(call);
        const connection = await openRaw(service.port);
        const before = new Date(at().clock.now()).toISOString();
        at().clock.advance(1);
        connection.write(
          `POST /matchmaker/lobbies/${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${arena.pub}\r\n` +
            `X-Forwarded-For: ${client}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        await until(isUsedAfter(before));
        expectEmpty(await block(arena, { client, end_seats: true }));
        connection.write(body);
        expectRefusal((await connection.answer())!, "MATCHMAKER_CLIENT_BLOCKED");
        connection.destroy();
      }
      expect((await arena.play("GET", "players/statistics")).json.player_count).toBe(1);
    });
  });
}

/** It takes its time, and the counting is the store's: once is enough. */
export function blockQuotaTests(at: () => Matchmaker): void {
  const arenaWith = () => createArena(at().service, config({ max_players: 50, max_players_direct: 50 }));
  const asAdmin = () => ({ token: at().service.adminToken });
  const block = (arena: Arena, body: object) =>
    at().service.request("PUT", `${arena.namespace.path}/blocks`, { ...asAdmin(), body });
  const isServed = async (arena: Arena, client: string) =>
    (await arena.play("GET", "regions", undefined, { client })).status === 200;

  test("[BL6] a namespace has at most 1,000 blocks; those that are over and those replaced do not count", async () => {
    const { clock } = at();
    const arena = await arenaWith();
    const until_ts = new Date(clock.now() + 1000).toISOString();
    for (let start = 0; start < 1000; start += 20) {
      const some = Array.from({ length: 20 }, (_, index) => start + index);
      const answers = await Promise.all(
        some.map((n) => block(arena, { client: `10.0.${n >> 8}.${n & 255}`, ...(n === 0 && { until_ts }) })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(204));
    }
    expectRefusal(await block(arena, { client: "10.1.0.0" }), "CLOUD_QUOTA_REACHED");
    expectEmpty(await block(arena, { client: "10.0.0.5", note: "again" }));
    expect(await isServed(arena, "10.0.3.231")).toBe(false);
    expect(await isServed(arena, "10.0.3.232")).toBe(true);
    clock.advance(1000);
    const racing = Array.from({ length: 5 }, (_, n) => block(arena, { client: `10.2.0.${n}` }));
    const codes = (await Promise.all(racing)).map(({ status, json }) => json?.code ?? status);
    expect(codes.sort()).toEqual([204, ...Array(4).fill("CLOUD_QUOTA_REACHED")]);
  });
}
