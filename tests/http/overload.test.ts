import pg from "pg";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startMatchmaker } from "../support/arena.ts";
import { expectRefusal } from "../support/expectations.ts";
import { readGauge } from "../support/gauge.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  type NamespaceAtHand,
  type Service,
  startService,
  until,
} from "../support/harness.ts";
import { openRaw, type RawConnection } from "../support/raw.ts";
import { freePort } from "../support/services/programs.ts";
import { storeKinds } from "../support/services/stores.ts";
import { createHeldRequests } from "./held-requests.ts";

let service: Service;
const held: RawConnection[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const connection of held.splice(0)) connection.destroy();
  await service?.close();
});

/** A request whose body does not come yet. The server says when it has begun with it. */
async function hold(namespace: NamespaceAtHand): Promise<RawConnection> {
  const connection = await openRaw(service.port);
  held.push(connection);
  connection.write(
    `POST ${namespace.path}/mm-config HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.adminToken}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect((await connection.answer())?.status).toBe(100);
  return connection;
}
const body = JSON.stringify({ lobby_count_max: 11, max_players: 12 });

describe.each(storeKinds)("too many requests at once (%s)", (kind) => {
  test("[O1] [T26] [T32] requests over the limit get 503 with Retry-After; open ones finish; /healthz answers", async () => {
    const matchmaker = await startMatchmaker(kind, { maxInFlight: 3 });
    service = matchmaker.service;
    const requests = await createHeldRequests(matchmaker);
    const waiting: Promise<Answer>[] = [];
    const send = (path: string) => waiting.push(service.request("GET", path, { token: service.adminToken }));
    for (let count = 0; count < 3; count++) await requests.hold(send);
    const ask = () => service.request("GET", "/cloud/games", { token: service.adminToken });

    const refused = await ask();
    expectRefusal(refused, "API_UNAVAILABLE");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    const page = { origin: "https://play.example.com" };
    const toPage = await service.request("GET", "/matchmaker/regions", { headers: page });
    expectRefusal(toPage, "API_UNAVAILABLE");
    expect(toPage.headers["access-control-allow-origin"]).toBe(page.origin);
    expect((await service.request("GET", "/healthz")).status).toBe(200);

    requests.release();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    await until(async () => (await ask()).status === 200);
  });

  /** A service with so many requests in flight that more have to wait, and what asks it. */
  async function fill(maxInFlight: number) {
    const metricsPort = await freePort();
    const matchmaker = await startMatchmaker(kind, { maxInFlight, metricsPort });
    service = matchmaker.service;
    const requests = await createHeldRequests(matchmaker);
    const ask = (path: string) => service.request("GET", path, { token: service.adminToken });
    const first: Promise<Answer>[] = [];
    for (let count = 0; count < Math.ceil((maxInFlight * 7) / 8); count++) {
      await requests.hold((path) => first.push(ask(path)));
    }
    const untilWaiting = (count: number) =>
      until(async () => (await readGauge(metricsPort, "foyer_http_waiting")) === count);
    const release = async () => {
      requests.release();
      for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
    };
    return { ask, untilWaiting, release };
  }

  test("[FG7] those that come when there is no room wait, and are all answered when there is; probes do not wait", async () => {
    const { ask, untilWaiting, release } = await fill(3);
    const second = Array.from({ length: 20 }, () => ask("/cloud/games"));
    await untilWaiting(20);
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/ping")).status).toBe(503);
    await release();
    for (const answer of await Promise.all(second)) expect(answer.status).toBe(200);
  });

  test("[FG7] one that has waited too long for its turn gets 503 with Retry-After", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { ask, untilWaiting, release } = await fill(8);
    const waiting = ask("/cloud/games");
    await untilWaiting(1);
    // The service runs in this process.
    vi.advanceTimersByTime(2_000);
    const refused = await waiting;
    expectRefusal(refused, "API_UNAVAILABLE");
    expect(refused.headers["retry-after"]).toBe("1");
    await release();
    expect((await ask("/cloud/games")).status).toBe(200);
  });

  test("[T32] requests that were broken off do not count for ever", async () => {
    service = await startService(kind, { maxInFlight: 3 });
    const namespace = await createNamespace(service, await createGame(service));
    for (let count = 0; count < 8; count++) {
      const connection = await hold(namespace);
      connection.destroy();
    }
    await until(async () => (await service.request("GET", "/readyz")).status === 200);
  });

  test("[O5] stopping: open requests finish, new ones cannot connect", async () => {
    service = await startService(kind);
    const namespace = await createNamespace(service, await createGame(service));
    const connection = await hold(namespace);
    const closing = service.close();
    connection.write(body);
    const answer = await connection.answer();
    expect(answer?.status).toBe(204);
    expect(answer?.headers.connection).toBe("close");
    await closing;
    await expect(service.request("GET", "/healthz")).rejects.toThrow();
  });
});

describe("a store that cannot be reached", () => {
  test("[O1] [O2] [T33] operations and /readyz answer 503 with Retry-After, /healthz 200; all is well when it is back", async () => {
    service = await startService("postgresql");
    const namespace = await createNamespace(service, await createGame(service));
    const dev = (await createToken(service, namespace, "dev")).token;
    const { pathname } = new URL(service.databaseUrl!);
    const database = pathname.slice(1);
    const elsewhere = new pg.Client({ connectionString: service.databaseUrl!.replace(pathname, "/postgres") });
    await elsewhere.connect();
    const admin = { token: service.adminToken };
    const cut = () =>
      elsewhere.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]);
    try {
      await elsewhere.query(`alter database ${database} allow_connections false`);
      await cut();
      const calls = [
        () => service.request("GET", "/readyz"),
        () => service.request("GET", "/cloud/games", admin),
        () => service.request("POST", "/cloud/games", { ...admin, body: { display_name: "A", name_id: "a" } }),
        () => service.request("POST", `${namespace.path}/domains`, { ...admin, body: { domain: "lost.example.com" } }),
        () => service.request("POST", `${namespace.path}/mm-config`, { ...admin, rawBody: body }),
        () => service.request("DELETE", namespace.path, admin),
      ];
      for (const call of calls) {
        const answer = await call();
        expectRefusal(answer, "API_UNAVAILABLE");
        expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
        expect(answer.text).not.toMatch(/postgres|database|select|insert|pg_/i);
      }
      expect((await service.request("GET", "/healthz")).status).toBe(200);
    } finally {
      await elsewhere.query(`alter database ${database} allow_connections true`);
    }
    await until(async () => (await service.request("GET", "/readyz")).status === 200);
    const shown = await service.request("GET", namespace.path, admin);
    expect(shown.json.namespace).toMatchObject({ domains: [], matchmaker: { lobby_count_max: 1000 } });
    expect((await service.request("GET", "/matchmaker/regions", { token: dev })).status).toBe(200);

    // Connections that end between two requests are replaced: at most the requests that they carried fail, with 503.
    for (let round = 0; round < 3; round++) {
      await cut();
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.request("GET", namespace.path, admin)));
      for (const answer of answers) expect([200, 503]).toContain(answer.status);
    }
    await until(async () => (await service.request("GET", namespace.path, admin)).status === 200);
    await elsewhere.end();
  });
});
