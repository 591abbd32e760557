import { afterEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { config, createArena, type Matchmaker, startMatchmaker } from "../support/arena.ts";
import { expectRefusal } from "../support/expectations.ts";
import { readGauge } from "../support/gauge.ts";
import { type Answer, createGame, createNamespace, type NamespaceAtHand, until } from "../support/harness.ts";
import { openRaw, type RawConnection, sendUnread } from "../support/raw.ts";
import { freePort } from "../support/services/programs.ts";
import { createHeldRequests } from "./held-requests.ts";

let matchmaker: Matchmaker;
let metricsPort: number;
const opened: { destroy(): void }[] = [];

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy();
  await matchmaker?.service.close();
});

async function start(overrides: Partial<Config> = {}): Promise<Matchmaker["service"]> {
  metricsPort = await freePort();
  matchmaker = await startMatchmaker("sqlite", { metricsPort, ...overrides });
  return matchmaker.service;
}

async function connect(): Promise<RawConnection> {
  const connection = await openRaw(matchmaker.service.port);
  opened.push(connection);
  return connection;
}

const gauge = (name: string) => readGauge(metricsPort, name);

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const admin = () => `Authorization: Bearer ${matchmaker.service.adminToken}\r\n`;
const from = (client: string) => `X-Forwarded-For: ${client}\r\n`;

/** A request that announces a body. The server says when it waits for it. */
async function announce(namespace: NamespaceAtHand, more = ""): Promise<RawConnection> {
  const connection = await connect();
  connection.write(
    `POST ${namespace.path}/mm-config HTTP/1.1\r\nHost: localhost\r\n${admin()}${more}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect((await connection.answer())?.status).toBe(100);
  return connection;
}
const body = JSON.stringify({ lobby_count_max: 11, max_players: 12 });

describe("bodies that never come", () => {
  test("[T41] a request counts as in flight when its body is there", async () => {
    const service = await start({ maxInFlight: 3 });
    const namespace = await createNamespace(service, await createGame(service));
    const waiting: RawConnection[] = [];
    for (let i = 0; i < 12; i++) waiting.push(await announce(namespace));
    for (let i = 0; i < 5; i++) expect((await service.request("GET", "/readyz")).status).toBe(200);
    expect(await gauge("foyer_http_in_flight")).toBe(0);
    for (const connection of waiting) {
      connection.write(body);
      expect((await connection.answer())?.status).toBe(204);
    }
  });

  test("[T32] [T41] one whose body comes when too many are in flight is turned away then", async () => {
    const service = await start({ maxInFlight: 2 });
    const held = await createHeldRequests(matchmaker);
    const namespace = await createNamespace(service, await createGame(service));
    const late = await announce(namespace);
    const answers: Promise<Answer>[] = [];
    const send = (path: string) => answers.push(service.request("GET", path, { token: service.adminToken }));
    await held.hold(send);
    await held.hold(send);
    late.write(body);
    expectRefusal((await late.answer())!, "API_UNAVAILABLE");
    held.release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test.each(["Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"])(
    "[T41] the service's own pages do not wait for a body (%j)",
    async (framing) => {
      await start();
      for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs", "/nowhere"]) {
        const connection = await connect();
        connection.write(get(path, framing));
        expect((await connection.answer())?.status).toBe(path === "/nowhere" ? 404 : 200);
      }
    },
  );
});

describe("one address", () => {
  const page = "https://play.example.com";

  test("[T43] above its requests in flight it gets 429, which pages may read; others do not", async () => {
    const service = await start({ maxInFlightPerAddress: 2 });
    const held = await createHeldRequests(matchmaker);
    const answers: Promise<Answer>[] = [];
    const ask = (path: string, client: string | null, more: Record<string, string> = {}) => {
      const headers = { ...(client !== null && { "x-forwarded-for": client }), ...more };
      return service.request("GET", path, { token: service.adminToken, headers });
    };
    const send = (path: string) => answers.push(ask(path, "192.0.2.1"));
    await held.hold(send);
    await held.hold(send);

    for (const path of ["/cloud/games", "/openapi.json"]) {
      const refused = await ask(path, "192.0.2.1", { origin: `http://127.0.0.1:${service.port}` });
      expectRefusal(refused, "API_RATE_LIMIT");
      expect(refused.headers["retry-after"]).toBe("1");
    }
    const toPage = await ask("/matchmaker/regions", "192.0.2.1", { origin: page });
    expectRefusal(toPage, "API_RATE_LIMIT");
    expect(toPage.headers["access-control-allow-origin"]).toBe(page);
    expect((await ask("/cloud/games", "192.0.2.2")).status).toBe(200);
    // The proxy itself, and programs on this machine.
    expect((await ask("/cloud/games", null)).status).toBe(200);
    // A body that comes too late finds no place either.
    const late = await announceFrom("192.0.2.3");
    const others: Promise<Answer>[] = [];
    await held.hold((path) => others.push(ask(path, "192.0.2.3")));
    await held.hold((path) => others.push(ask(path, "192.0.2.3")));
    late.write(body);
    expectRefusal((await late.answer())!, "API_RATE_LIMIT");

    held.release();
    expect((await Promise.all([...answers, ...others])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await until(async () => (await ask("/cloud/games", "192.0.2.1")).status === 200);
  });

  async function announceFrom(client: string): Promise<RawConnection> {
    const { service } = matchmaker;
    return announce(await createNamespace(service, await createGame(service)), from(client));
  }

  test("[T43] a find that waits for its lobby is not in flight", async () => {
    const service = await start({ maxInFlightPerAddress: 1, findWaitS: 60 });
    const arena = await createArena(service, config({ max_players: 8, max_players_direct: 8 }));
    const lobby = await arena.register();
    const finds: Promise<Answer>[] = [];
    for (let seats = 1; seats <= 3; seats++) {
      finds.push(arena.find({ game_modes: ["duel"] }, { client: "192.0.2.1" }));
      await until(async () => (await arena.lobbies())[0].reserved_count === seats);
    }
    await lobby.ready();
    expect((await Promise.all(finds)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("[T42] behind a trusted proxy its requests under way are bounded like connections", async () => {
    const service = await start({ maxConnectionsPerAddress: 3 });
    const namespace = await createNamespace(service, await createGame(service));
    const waiting: RawConnection[] = [];
    for (let i = 0; i < 3; i++) waiting.push(await announce(namespace, from("192.0.2.1")));
    const ask = (client: string) =>
      service.request("GET", "/cloud/games", { token: service.adminToken, headers: { "x-forwarded-for": client } });
    expectRefusal(await ask("192.0.2.1"), "API_RATE_LIMIT");
    expect((await ask("192.0.2.2")).status).toBe(200);
    waiting[0]!.destroy();
    await until(async () => (await ask("192.0.2.1")).status === 200);
  });
});

describe("headers", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `h${index}:1\r\n`).join("");

  test("[T47] 256 headers are taken, one more is 400", async () => {
    await start();
    const connection = await connect();
    connection.write(get("/healthz", many(255)));
    expect((await connection.answer())?.status).toBe(200);
    connection.write(get("/healthz", many(256)));
    expectRefusal((await connection.answer())!, "API_BAD_HEADER");
  });

  test("[T47] a forwarding header behind a thousand others does not turn limits off", async () => {
    await start({ trustedProxies: [], rateList: 1 });
    for (let i = 0; i < 3; i++) {
      const connection = await connect();
      connection.write(get("/cloud/games", `${many(1000)}${from("192.0.2.1")}${admin()}`));
      expectRefusal((await connection.answer())!, "API_BAD_HEADER");
    }
  });
});

test("[T44] a client that takes nothing of its answer for 30 seconds is cut off", { timeout: 120_000 }, async () => {
  const service = await start();
  const before = await gauge("foyer_http_connections");
  opened.push(await sendUnread(service.port, get("/openapi.json")));
  await until(async () => (await gauge("foyer_http_in_flight")) === 1);
  expect(await gauge("foyer_http_connections")).toBe(before + 1);
  await until(async () => (await gauge("foyer_http_connections")) === before, 90_000);
  expect(await gauge("foyer_http_in_flight")).toBe(0);
});

test("[T45] lists with states that a client does not read are bounded; others get theirs, and so does it when its connections have ended", {
  timeout: 120_000,
}, async () => {
  const service = await start({ rateList: 0, maxInFlightPerAddress: 64 });
  const arena = await createArena(service, config({ max_players: 8, max_players_direct: 8 }));
  // A page of 1 MiB.
  for (let count = 0; count < 70; count++) {
    const lobby = await arena.ready();
    expect((await lobby.call("PUT", "lobbies/state", "x".repeat(16_000))).status).toBe(204);
  }
  const path = "/matchmaker/lobbies/list?limit=500&include_state=true";
  const ask = (client: string) =>
    service.request("GET", path, { token: arena.pub, headers: { "x-forwarded-for": client } });
  expect((await ask("192.0.2.2")).bytes.length).toBeGreaterThan(900_000);

  const token = `Authorization: Bearer ${arena.pub}\r\n`;
  const unread = [];
  let answer = await ask("192.0.2.1");
  for (let count = 0; count < 60 && answer.status === 200; count++) {
    const connection = await sendUnread(service.port, get(path, from("192.0.2.1") + token));
    opened.push(connection);
    unread.push(connection);
    await until(async () => (await gauge("foyer_http_in_flight")) === unread.length);
    answer = await ask("192.0.2.1");
  }
  expectRefusal(answer, "API_RATE_LIMIT");
  expect((await ask("192.0.2.2")).status).toBe(200);
  for (const connection of unread) connection.destroy();
  await until(async () => (await ask("192.0.2.1")).status === 200);
});
