import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type Config, defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { createConnections } from "../../src/http/connections.ts";
import { type Matchmaker, startMatchmaker } from "../support/arena.ts";
import { readGauge } from "../support/gauge.ts";
import { type Answer, until } from "../support/harness.ts";
import {
  openRaw,
  openUnread,
  type RawConnection,
  sendAndReset,
  tooManyHeadersWithOffer,
  uncaughtDuring,
} from "../support/raw.ts";
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

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const admin = () => `Authorization: Bearer ${matchmaker.service.adminToken}\r\n`;
const offer = "Connection: Upgrade\r\nUpgrade: h2c\r\n";

/** A request that would leave a game behind if it were executed. */
function createBehind(): string {
  const game = JSON.stringify({ display_name: "Behind", name_id: "behind" });
  return `POST /cloud/games HTTP/1.1\r\nHost: localhost\r\n${admin()}Content-Type: application/json\r\nContent-Length: ${game.length}\r\n\r\n${game}`;
}

async function expectNotExecuted(): Promise<void> {
  const { games } = await matchmaker.service.admin("GET", "/cloud/games");
  expect(games.map(({ name_id }: { name_id: string }) => name_id)).not.toContain("behind");
}

/** The connection brings one answer, says that it is the last, and ends. */
async function expectOneAnswer(connection: RawConnection, status = 200): Promise<Answer> {
  const answer = await connection.answer();
  expect([answer?.status, answer?.headers.connection]).toEqual([status, "close"]);
  expect(await connection.answer()).toBeNull();
  await connection.closed;
  return answer!;
}

describe("a client that sends the next request before it has its answer", () => {
  test.each([
    ["a page", "/openapi.json", 200],
    ["an unknown path", "/nowhere", 404],
    ["a probe", "/healthz", 200],
  ])("[T40] gets that answer and no other, and the connection closes (%s)", async (_name, path, status) => {
    await start();
    const connection = await connect();
    connection.write(get(path) + createBehind());
    await expectOneAnswer(connection, status);
    await expectNotExecuted();
  });

  test("[T40] also when the answer takes a while, and more comes in pieces", async () => {
    await start();
    const held = await createHeldRequests(matchmaker);
    const connection = await connect();
    await held.hold((path) => connection.write(get(path, admin())));
    const [head, ...body] = createBehind().split("\r\n\r\n");
    connection.write(`${head}\r\n\r\n`);
    expect((await matchmaker.service.request("GET", "/readyz")).status).toBe(200);
    connection.write(body.join(""));
    connection.write(createBehind());
    expect((await matchmaker.service.request("GET", "/readyz")).status).toBe(200);
    held.release();
    expect((await expectOneAnswer(connection)).json).toHaveProperty("is_truncated");
    await expectNotExecuted();
  });

  test("[T40] one that waits for each answer keeps its connection for as many as it likes", async () => {
    await start();
    const connection = await connect();
    for (let round = 0; round < 300; round++) {
      connection.write(get(round % 3 === 0 ? "/nowhere" : "/healthz", round % 5 === 0 ? offer : ""));
      const answer = await connection.answer();
      expect([answer?.status, answer?.headers.connection]).toEqual([round % 3 === 0 ? 404 : 200, "keep-alive"]);
    }
  });

  test("[T40] [T41] 1,300 on each of two connections that are not read and then dropped leave nothing in flight", async () => {
    const service = await start({ maxInFlight: 20 });
    for (const how of ["held open", "dropped"]) {
      const connections = [await openUnread(service.port), await openUnread(service.port)];
      for (const connection of connections) {
        opened.push(connection);
        connection.write(get("/openapi.json").repeat(1300));
      }
      if (how === "dropped") for (const connection of connections) connection.destroy();
      // Neither is anybody else turned away, nor does it stay.
      for (let i = 0; i < 30; i++) expect((await service.request("GET", "/readyz")).status).toBe(200);
      await until(async () => (await readGauge(metricsPort, "foyer_http_in_flight")) === 0);
    }
  });
});

test("[T40] the connection also closes when the next request comes after the head of the answer", async () => {
  const handled: string[] = [];
  let end = () => {};
  const server = createServer((request, response) => {
    handled.push(request.url!);
    response.write("a");
    end = () => response.end("b");
  });
  const connections = createConnections({
    ...{ config: defaultConfig(), metrics: createMetrics(), readAddress: createClientAddress([]) },
    ...{ log: createLog({ level: "silent", format: "json" }), refuseConnection: () => {} },
    ...{ checkLoad: () => null, isFull: () => false },
  });
  connections.watch(server, null);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection = await openRaw((server.address() as AddressInfo).port);
  opened.push(connection);
  connection.write(get("/1"));
  await until(async () => handled.length === 1);
  const arrived = new Promise((resolve) => server.on("request", resolve));
  connection.write(get("/2"));
  await arrived;
  end();
  await connection.closed;
  expect(handled).toEqual(["/1"]);
  connections.stop();
  server.close();
});

describe("what comes behind a request and is none to execute", () => {
  test("[T40] unreadable bytes behind two requests: the first is answered, the second is not executed", async () => {
    await start();
    const held = await createHeldRequests(matchmaker);
    const connection = await connect();
    await held.hold((path) => connection.write(`${get(path, admin())}${createBehind()}nonsense\r\n\r\n`));
    held.release();
    await expectOneAnswer(connection);
    await expectNotExecuted();
  });

  test("[T40] unreadable bytes behind a request do not suppress its answer", async () => {
    await start();
    const held = await createHeldRequests(matchmaker);
    const connection = await connect();
    await held.hold((path) => connection.write(`${get(path, admin())}nonsense\r\n\r\n`));
    held.release();
    await expectOneAnswer(connection);
  });

  test("[T40] CONNECT behind a POST: the POST is answered, and nothing else", async () => {
    const service = await start();
    const connection = await connect();
    connection.write(`${createBehind()}CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n${get("/healthz")}`);
    expect((await expectOneAnswer(connection)).json).toHaveProperty("game_id");
    expect((await service.request("GET", "/readyz")).status).toBe(200);
  });

  test("[T40] CONNECT or an upgrade behind a request that is held: it is answered, and then the connection closes", async () => {
    await start();
    const held = await createHeldRequests(matchmaker);
    for (const behind of ["CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", get("/healthz", offer), websocket]) {
      const connection = await connect();
      await held.hold((path) => connection.write(get(path, admin()) + behind + createBehind()));
      connection.write(createBehind());
      held.release();
      await expectOneAnswer(connection);
    }
    await expectNotExecuted();
  });
  const websocket = get(
    "/lobby/00000000-0000-7000-8000-000000000000/default/",
    "Connection: Upgrade\r\nUpgrade: websocket\r\n",
  );

  test("[T40] an expectation that cannot be met behind a request gets no answer of its own", async () => {
    await start();
    const held = await createHeldRequests(matchmaker);
    const connection = await connect();
    await held.hold((path) => connection.write(get(path, admin()) + get("/healthz", "Expect: 200-ok\r\n")));
    held.release();
    await expectOneAnswer(connection);
  });

  test("[T40] what comes behind a request that ends the connection is not executed", async () => {
    await start();
    const connection = await connect();
    connection.write(get("/healthz", "Connection: close\r\n") + createBehind());
    await expectOneAnswer(connection);
    await expectNotExecuted();
  });
});

describe("a request that offers another protocol stays an ordinary one", () => {
  test("[T40] [AB1] with the head of the next request behind it: the body of that is never a request", async () => {
    await start();
    const connection = await connect();
    const smuggled = createBehind();
    connection.write(
      `${get("/healthz", offer)}POST /matchmaker/lobbies/find HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${smuggled.length}\r\n\r\n`,
    );
    expect((await connection.answer())?.status).toBe(200);
    connection.write(smuggled);
    await connection.closed;
    expect(await connection.answer()).toBeNull();
    await expectNotExecuted();
  });

  test("[T40] with a body, also one that comes later, and with others after it", async () => {
    const service = await start();
    const connection = await connect();
    const text = createBehind().replace("Content-Type", `${offer}Content-Type`);
    connection.write(text.slice(0, -10));
    expect((await service.request("GET", "/readyz")).status).toBe(200);
    connection.write(text.slice(-10));
    expect((await connection.answer())?.json).toHaveProperty("game_id");
    connection.write(get("/nowhere", offer));
    expect((await connection.answer())?.status).toBe(404);
    connection.write(get("/healthz"));
    expect((await connection.answer())?.status).toBe(200);
  });

  test("[T47] with more than 256 headers it is 400", async () => {
    await start();
    const many = Array.from({ length: 400 }, (_, index) => `h${index}:1\r\n`).join("");
    const connection = await connect();
    connection.write(get("/healthz", `${offer}${many}Content-Length: 5\r\n`));
    await expectOneAnswer(connection, 400);
  });

  test("[T47] with more than 256 headers and a reset behind them it ends its own connection and nothing else", async () => {
    const service = await start();
    const uncaught = await uncaughtDuring(async () => {
      for (let round = 0; round < 20; round++) await sendAndReset(service.port, tooManyHeadersWithOffer);
      for (let round = 0; round < 5; round++) expect((await service.request("GET", "/readyz")).status).toBe(200);
    });
    expect(uncaught).toEqual([]);
  });
});
