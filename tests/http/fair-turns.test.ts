import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { type Connections, createConnections } from "../../src/http/connections.ts";
import { createFastify } from "../../src/http/fastify.ts";
import { readBody } from "../../src/http/request-body.ts";
import { openRaw, type RawConnection } from "../support/raw.ts";

const opened: RawConnection[] = [];

afterEach(() => {
  for (const connection of opened.splice(0)) connection.destroy();
});

async function connect(port: number): Promise<RawConnection> {
  const connection = await openRaw(port);
  opened.push(connection);
  return connection;
}

const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const from = (client: string) => `X-Forwarded-For: ${client}\r\n`;

function openConnections(readAddress = createClientAddress(["127.0.0.1"]), metrics = createMetrics()): Connections {
  return createConnections({
    config: defaultConfig(),
    log: createLog({ level: "silent", format: "json" }),
    metrics,
    readAddress,
    refuseConnection: () => {},
    checkLoad: () => null,
    isFull: () => false,
  });
}

/** A server whose requests begin in their turns. */
function createTurnApp(connections: Connections): FastifyInstance {
  const app = createFastify({ newRequestId: () => "one", answerBroken: () => {}, answerBadPath: () => {} });
  app.decorateRequest("exchange");
  app.addHook("onRequest", (request, _reply, done) => {
    connections.follow(request);
    done();
  });
  connections.watch(app.server, null);
  return app;
}

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

/** Works for a while. */
function useUpTurn(): void {
  const endsAt = performance.now() + 1;
  while (performance.now() < endsAt);
}

describe("large bodies", () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  /** Handles bodies, and notes of whom they were. `send` sends many at once, when all their headers are there. */
  async function open() {
    const handled: string[] = [];
    let headers = 0;
    const connections = openConnections();
    app = createTurnApp(connections);
    app.addHook("onRequest", (_request, _reply, done) => {
      headers += 1;
      done();
    });
    readBody(app, connections.whenTimely);
    app.post("/", (request, reply) => {
      handled.push(String(request.headers["x-forwarded-for"]));
      useUpTurn();
      reply.send("");
    });
    const port = await listen(app);
    const send = async (client: string, count: number, bytes: number) => {
      const connections = await Promise.all(Array.from({ length: count }, () => connect(port)));
      for (const connection of connections) connection.write(headersOf(client, bytes));
      await expect.poll(() => headers, { interval: 1 }).toBe(count);
      for (const connection of connections) connection.write(bodyOf(bytes));
      await expect.poll(() => handled.length, { interval: 1 }).toBeGreaterThan(0);
      return connections;
    };
    return { port, handled, send };
  }

  test.each([8193, 60_000])(
    "[FG1] of %i bytes that come at once: others do not wait for all of them",
    async (bytes) => {
      const { port, handled, send } = await open();
      const one = await connect(port);
      const many = await send("192.0.2.1", 150, bytes);
      one.write(headersOf("192.0.2.2", 10) + bodyOf(10));
      expect((await one.answer())?.status).toBe(200);
      expect(handled.indexOf("192.0.2.2")).toBeLessThan(100);
      for (const connection of many) expect((await connection.answer())?.status).toBe(200);
      expect(handled.length).toBe(151);
    },
  );

  test("[FG1] whose connection ends while they wait are not parsed", async () => {
    const { port, handled, send } = await open();
    for (const connection of await send("192.0.2.1", 100, 60_000)) connection.destroy();
    const one = await connect(port);
    one.write(headersOf("192.0.2.2", 10) + bodyOf(10));
    expect((await one.answer())?.status).toBe(200);
    expect(handled.length).toBeLessThan(101);
  });
});

function headersOf(client: string, bytes: number): string {
  const headers = `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n`;
  return `POST / HTTP/1.1\r\nHost: localhost\r\n${from(client)}${headers}\r\n`;
}

/** A text in JSON. */
const bodyOf = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;

describe("requests of one client on many connections", () => {
  let server: Server;
  afterEach(() => server.close());

  test("[FG1] a client that asks once does not wait until those of another are all begun", async () => {
    const begun: string[] = [];
    let isFirst = () => {};
    server = createServer((request, response) => {
      begun.push(String(request.headers["x-forwarded-for"]));
      useUpTurn();
      response.end();
      isFirst();
    });
    openConnections().watch(server, null);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;

    const many = await Promise.all(Array.from({ length: 150 }, () => connect(port)));
    const one = await connect(port);
    // The server accepts connections one by one, in their order.
    one.write(get("/", from("192.0.2.2")));
    expect((await one.answer())?.status).toBe(200);
    begun.length = 0;
    const first = new Promise<void>((resolve) => {
      isFirst = resolve;
    });
    for (const connection of many) connection.write(get("/", from("192.0.2.1")));
    await first;
    one.write(get("/", from("192.0.2.2")));
    expect((await one.answer())?.status).toBe(200);
    expect(begun.indexOf("192.0.2.2")).toBeLessThan(100);
    for (const connection of many) expect((await connection.answer())?.status).toBe(200);
  });
});

describe("more connections of one client than there is time for", () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  test("[FG9] are not read, so that few requests wait, and all are answered; a probe's connection is read", async () => {
    const [connectionCount, perConnection] = [1000, 3];
    const metrics = createMetrics();
    const waiting = async () => (await metrics.registry.getSingleMetric("foyer_http_waiting")!.get()).values[0]!.value;
    const counts: Promise<number>[] = [];
    let begun = 0;
    app = createTurnApp(openConnections(createClientAddress([]), metrics));
    app.get("/healthz", (_request, reply) => reply.send(""));
    app.get("/", (_request, reply) => {
      begun += 1;
      // The first of every connection are answered; what comes now may wait unread.
      if (begun > connectionCount) counts.push(waiting());
      useUpTurn();
      reply.send("");
    });
    const port = await listen(app);

    const all = await Promise.all(Array.from({ length: connectionCount }, () => connect(port)));
    const probe = await connect(port);
    // The server accepts connections one by one, in their order.
    probe.write(get("/healthz", ""));
    expect((await probe.answer())?.status).toBe(200);
    const answers = all.map(async (connection) => {
      const statuses = [];
      for (let i = 0; i < perConnection; i++) {
        connection.write(get("/", ""));
        statuses.push((await connection.answer())?.status);
      }
      return statuses;
    });
    let mostBesideProbe = 0;
    while (begun < connectionCount * perConnection) {
      const before = begun;
      probe.write(get("/healthz", ""));
      expect((await probe.answer())?.status).toBe(200);
      mostBesideProbe = Math.max(mostBesideProbe, begun - before);
      await expect.poll(() => begun, { interval: 1 }).toBeGreaterThan(before);
    }
    expect((await Promise.all(answers)).flat()).toEqual(Array(connectionCount * perConnection).fill(200));
    expect(mostBesideProbe).toBeLessThan(connectionCount / 2);
    expect(Math.max(...(await Promise.all(counts)))).toBeLessThan(connectionCount - 100);
  });
});
