import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { createInFlight } from "../../src/http/in-flight.ts";
import { type Matchmaker, startMatchmaker } from "../support/arena.ts";
import { openRaw, type RawConnection } from "../support/raw.ts";
import { createHeldRequests } from "./held-requests.ts";

const opened: RawConnection[] = [];
let matchmaker: Matchmaker | null = null;

afterEach(async () => {
  for (const connection of opened.splice(0)) connection.destroy();
  await matchmaker?.service.close();
  matchmaker = null;
});

async function connect(port: number): Promise<RawConnection> {
  const connection = await openRaw(port);
  opened.push(connection);
  return connection;
}

const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const from = (client: string) => `X-Forwarded-For: ${client}\r\n`;

describe("requests of one client on many connections", () => {
  let server: Server;
  afterEach(() => server.close());

  test("[FG1] a client that asks once does not wait until those of another are all begun", async () => {
    const begun: string[] = [];
    let isFirst = () => {};
    server = createServer((request, response) => {
      begun.push(String(request.headers["x-forwarded-for"]));
      // As long as all that begins in one turn of the event loop.
      const endsAt = performance.now() + 3;
      while (performance.now() < endsAt);
      response.end();
      isFirst();
    });
    createInFlight({
      config: defaultConfig(),
      log: createLog({ level: "silent", format: "json" }),
      metrics: createMetrics(),
      readAddress: createClientAddress(["127.0.0.1"]),
      refuseConnection: () => {},
      checkLoad: () => null,
    }).connections.watch(server, null);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;

    const many = await Promise.all(Array.from({ length: 50 }, () => connect(port)));
    const one = await connect(port);
    const first = new Promise<void>((resolve) => {
      isFirst = resolve;
    });
    for (const connection of many) connection.write(get("/", from("192.0.2.1")));
    await first;
    one.write(get("/", from("192.0.2.2")));
    expect((await one.answer())?.status).toBe(200);
    expect(begun.length).toBeLessThan(51);
    for (const connection of many) expect((await connection.answer())?.status).toBe(200);
  });
});

describe("requests that wait behind others on the connections of one client", () => {
  const behind = 60;

  async function start(overrides: Partial<Config> = {}) {
    matchmaker = await startMatchmaker("sqlite", overrides);
    const { port, adminToken } = matchmaker.service;
    const { path, hold, release } = await createHeldRequests(matchmaker);
    const requests = (headers: string) =>
      get(path, `Authorization: Bearer ${adminToken}\r\n${headers}`) + get("/healthz", headers).repeat(behind);
    /** One request that is held, and others behind it. */
    const pile = async (headers: string) => {
      const connection = await connect(port);
      await hold(() => connection.write(requests(headers)));
      return connection;
    };
    const expectAnswers = async (connection: RawConnection) => {
      for (let i = 0; i <= behind; i++) expect((await connection.answer())?.status).toBe(200);
    };
    return { port, requests, pile, release, expectAnswers };
  }

  test("[FG3] are at most 128: the connection that brings one more is closed, those of other clients are not", async () => {
    const { port, requests, pile, release, expectAnswers } = await start();
    const kept = [await pile(from("192.0.2.1")), await pile(from("192.0.2.1"))];
    const third = await connect(port);
    third.write(requests(from("192.0.2.1")));
    await third.closed;
    kept.push(await pile(from("192.0.2.2")));
    release();
    for (const connection of kept) await expectAnswers(connection);
    // None of them waits any longer, so there is room for others.
    const again = [await pile(from("192.0.2.1")), await pile(from("192.0.2.1"))];
    release();
    for (const connection of again) await expectAnswers(connection);
  });

  test("[FG3] are not counted for programs on the same machine", async () => {
    const { pile, release, expectAnswers } = await start();
    const kept = [await pile(""), await pile(""), await pile("")];
    release();
    for (const connection of kept) await expectAnswers(connection);
  });
});
