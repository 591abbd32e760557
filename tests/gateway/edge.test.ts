import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { until } from "../support/harness.ts";
import { openThrough } from "./through.ts";
import { closeOf, handshakeRefusal, openWebSocket, startGameLobby, type WebSocketClient } from "./web-sockets.ts";
import { type GatewayWorld, openGatewayWorld, startRawLobby, startWebLobby } from "./world.ts";

describe("[GW18] the checks of the service apply to requests and handshakes alike", () => {
  let world: GatewayWorld;
  beforeAll(async () => {
    world = await openGatewayWorld("sqlite", { gatewayUrl: "https://gw.example.com", rateAddress: 40 });
  });
  afterAll(() => world?.close());

  /** The same question to an http and a ws port; gives the two answers. */
  async function ask(headers: Record<string, string>) {
    const lobby = await startGameLobby();
    const { web, game } = await world.lobbyAt(lobby.port);
    const answer = await world.service.request("GET", web, { headers });
    const refusal = await handshakeRefusal(world.service.port, game, headers);
    lobby.close();
    return [answer.status === 200 ? null : [answer.status, answer.json?.code], refusal];
  }
  const both = <T>(answer: T) => [answer, answer];

  test("a host that is none of the service's is 421; that of gateway_url is one for lobbies only", async () => {
    expect(await ask({ host: "evil.example" })).toEqual(both([421, "API_WRONG_HOST"]));
    expect(await ask({ host: "gw.example.com" })).toEqual(both(null));
    const headers = { host: "gw.example.com" };
    expectRefusal(await world.service.request("GET", "/docs", { headers }), "API_WRONG_HOST");
  });

  test("the address limit of a client is 429", async () => {
    const headers = { "x-forwarded-for": "192.0.2.77" };
    await until(async () => (await world.service.request("GET", "/lobby/x", { headers })).status === 429);
    expect(await ask(headers)).toEqual(both([429, "API_RATE_LIMIT"]));
    expect(await ask({ "x-forwarded-for": "192.0.2.78" })).toEqual(both(null));
  });

  test("a page that is on none of the namespace's domains is 403", async () => {
    const { service, arena } = world;
    expect(await ask({ origin: "https://any.example" })).toEqual(both(null));
    await service.admin("POST", `${arena.namespace.path}/domains`, { domain: "play.example.com" });
    for (const origin of ["https://evil.example", "http://play.example.com", "null"]) {
      expect(await ask({ origin })).toEqual(both([403, "TOKEN_FORBIDDEN"]));
    }
    expect(await ask({ origin: "https://play.example.com" })).toEqual(both(null));
    expect(await ask({})).toEqual(both(null));
    await service.admin("DELETE", `${arena.namespace.path}/domains/play.example.com`);
  });

  test("a blocked client is 403, and its connections end", async () => {
    const { service, arena } = world;
    const lobby = await startGameLobby();
    const { game } = await world.lobbyAt(lobby.port);
    const headers = { "x-forwarded-for": "192.0.2.50" };
    const client = await openWebSocket(service.port, game, headers);
    const other = await openWebSocket(service.port, game, { "x-forwarded-for": "192.0.2.51" });
    const closed = closeOf(client);
    await service.admin("PUT", `${arena.namespace.path}/blocks`, { client: "192.0.2.50" });
    expect(await ask(headers)).toEqual(both([403, "MATCHMAKER_CLIENT_BLOCKED"]));
    expect(await closed).toBe(1006);
    expect(other.readyState).toBe(1);
    other.terminate();
    lobby.close();
  });

  test("they do not count as in flight", async () => {
    const narrow = await openGatewayWorld("sqlite", { maxInFlight: 4, maxInFlightPerAddress: 4 });
    const silent = await startRawLobby();
    const { web } = await narrow.lobbyAt(silent.port);
    const waiting = Array.from({ length: 6 }, () => narrow.service.request("GET", web).catch(() => null));
    await until(() => silent.sockets.length === 6);
    expect((await narrow.arena.list()).status).toBe(200);
    silent.close();
    for (const answer of await Promise.all(waiting)) expectRefusal(answer!, "API_LOBBY_UNREACHABLE");
    await narrow.close();
  });
});

test("[GW18] a service that stops ends all connections, and ends", async () => {
  const world = await openGatewayWorld();
  const lobby = await startGameLobby();
  const { game, web } = await world.lobbyAt(lobby.port);
  const client = await openWebSocket(world.service.port, game);
  const silent = await startRawLobby();
  const { web: unanswered } = await world.lobbyAt(silent.port);
  const waiting = world.service.request("GET", unanswered);
  expect((await world.service.request("POST", web, { rawBody: "x" })).status).toBe(200);
  await until(() => silent.sockets.length === 1);
  const closed = closeOf(client);
  await world.close();
  expect(await closed).toBe(1006);
  expectRefusal(await waiting, "API_UNAVAILABLE");
  silent.close();
  lobby.close();
});

describe("[GW20] connections are limited", () => {
  let world: GatewayWorld;
  beforeAll(async () => {
    // A lobby of one player: 20 connections, 10 of them of clients without a seat, 5 of one client.
    const limits = { maxGatewayConnections: 19, maxGatewayConnectionsPerClient: 8 };
    world = await openGatewayWorld("sqlite", limits, { max_players: 1, max_players_direct: 1 });
  });
  afterAll(() => world?.close());

  async function fill(path: string, client: string, count: number): Promise<WebSocketClient[]> {
    const headers = { "x-forwarded-for": client };
    return Promise.all(Array.from({ length: count }, () => openWebSocket(world.service.port, path, headers)));
  }
  const refusal = (path: string, client: string) =>
    handshakeRefusal(world.service.port, path, { "x-forwarded-for": client });

  test("per client and lobby, per client, per lobby, and in all", async () => {
    const lobby = await startGameLobby();
    const [one, two] = [await world.lobbyAt(lobby.port), await world.lobbyAt(lobby.port)];
    const open = await fill(one.game, "192.0.2.1", 5);
    expect(await refusal(one.game, "192.0.2.1")).toEqual([429, "API_RATE_LIMIT"]);
    open.push(...(await fill(two.game, "192.0.2.1", 3)));
    expect(await refusal(two.game, "192.0.2.1")).toEqual([429, "API_RATE_LIMIT"]);
    open.push(...(await fill(one.game, "192.0.2.2", 5)));
    expect(await refusal(one.game, "192.0.2.5")).toEqual([503, "API_UNAVAILABLE"]);
    open.push(...(await fill(two.game, "192.0.2.6", 5)), ...(await fill(two.game, "192.0.2.7", 1)));
    expect(await refusal(two.game, "192.0.2.8")).toEqual([503, "API_UNAVAILABLE"]);
    // A request is a connection while it is open.
    const headers = { "x-forwarded-for": "192.0.2.8" };
    expectRefusal(await world.service.request("GET", two.web, { headers }), "API_UNAVAILABLE");

    for (const client of open) client.terminate();
    await until(async () => (await refusal(one.game, "192.0.2.1")) === null);
    await until(async () => (await refusal(two.game, "192.0.2.8")) === null);
    lobby.close();
  });

  test("programs on this machine are no client", async () => {
    const lobby = await startWebLobby((_request, _response) => undefined);
    const { web } = await world.lobbyAt(lobby.port);
    const none = Array.from({ length: 9 }, () => world.service.request("GET", web).catch(() => null));
    await until(() => lobby.seen.length === 9);
    lobby.close();
    await Promise.all(none);
  });
});

test("[GW25] strangers leave half of a lobby's connections to its players, also behind foyer gateway", async () => {
  const mode = { max_players: 1, max_players_direct: 1 };
  const world = await openGatewayWorld("sqlite", {}, mode, { clock: { now: Date.now, advance() {} } });
  const standalone = await openThrough(world.service.url);
  const lobby = await startGameLobby();
  for (const { port } of [world.service, standalone]) {
    const { game, connect } = await world.lobbyAt(lobby.port, "192.0.2.200");
    await connect();
    const from = (client: string) => ({ "x-forwarded-for": client });
    const strangers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        openWebSocket(port, game, from(`198.51.100.${index}`)).catch((error: { status: number }) => error.status),
      ),
    );
    const open = strangers.filter((one) => typeof one !== "number");
    expect([open.length, new Set(strangers.filter((one) => typeof one === "number"))]).toEqual([10, new Set([503])]);
    for (let count = 0; count < 5; count++) open.push(await openWebSocket(port, game, from("192.0.2.200")));
    expect(await handshakeRefusal(port, game, from("192.0.2.200"))).toEqual([429, "API_RATE_LIMIT"]);
    for (const client of open) client.terminate();
  }
  lobby.close();
  await standalone.close();
  await world.close();
});
