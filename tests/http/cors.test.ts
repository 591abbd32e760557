import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationList } from "../../src/contract/index.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  type Service,
  startService,
} from "../support/harness.ts";
import { sendRaw } from "../support/raw.ts";

const page = "https://play.example.com";
let service: Service;
let dev: string;

beforeAll(async () => {
  service = await startService("sqlite");
  dev = (await createToken(service, await createNamespace(service, await createGame(service)), "dev")).token;
});
afterAll(() => service?.close());

const list = (value: unknown) =>
  String(value ?? "")
    .split(/, ?/)
    .map((each) => each.toLowerCase())
    .sort();
const allowedOrigin = "access-control-allow-origin";

describe("/matchmaker answers pages of any origin", () => {
  test.each([
    ["a success", "GET", "/matchmaker/regions", 200],
    ["a success without a body", "POST", "/matchmaker/lobbies/ready", 204],
    ["a bad request", "POST", "/matchmaker/lobbies/find", 400],
    ["a forbidden operation", "POST", "/matchmaker/lobbies/register", 403],
    ["an unknown path", "GET", "/matchmaker/nowhere", 404],
    ["a malformed path", "GET", "/matchmaker/%zz", 404],
    ["a wrong method", "DELETE", "/matchmaker/regions", 405],
  ] as const)("[B1] [B4] [T26] %s carries the headers", async (_title, method, path, status) => {
    const answer = await service.request(method, path, { token: dev, headers: { origin: page } });
    expect(answer.status).toBe(status);
    expect(answer.headers[allowedOrigin]).toBe(page);
    expect(list(answer.headers["access-control-expose-headers"])).toEqual(
      expect.arrayContaining(["x-request-id", "retry-after"]),
    );
    expect(list(answer.headers.vary)).toContain("origin");
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("[B1] [T26] a missing token, a wrong content type and a large body carry them too", async () => {
    const headers = { origin: page };
    const path = "/matchmaker/lobbies/find";
    for (const [options, status] of [
      [{ headers }, 401],
      [{ token: "pub_nonsense", headers }, 401],
      [{ token: dev, rawBody: "x", headers: { ...headers, "content-type": "text/plain" } }, 415],
      [{ token: dev, rawBody: "x".repeat(70_000), headers }, 413],
      [{ token: dev, rawBody: "{", headers }, 400],
    ] as const) {
      const answer = await service.request("POST", path, options);
      expect([answer.status, answer.headers[allowedOrigin]]).toEqual([status, page]);
    }
  });

  test("[B1] without an Origin the answer still varies by it", async () => {
    const answer = await service.request("GET", "/matchmaker/regions", { token: dev });
    expect(answer.headers[allowedOrigin]).toBeUndefined();
    expect(list(answer.headers.vary)).toContain("origin");
  });

  test.each(
    operationList
      .filter(([, { path }]) => path.startsWith("/matchmaker/"))
      .map(([id, { method, path }]) => [id, method, path]),
  )("[B3] [B4] %s may be asked for beforehand, without a token", async (_id, method, path) => {
    const answer = await service.request("OPTIONS", path.replace(/\{\w+\}/g, "x"), {
      headers: {
        origin: page,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,content-type,idempotency-key",
      },
    });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(answer.headers[allowedOrigin]).toBe(page);
    expect(list(answer.headers["access-control-allow-methods"])).toContain(method.toLowerCase());
    expect(list(answer.headers["access-control-allow-headers"])).toEqual(
      ["authorization", "content-type", "idempotency-key", "last-event-id"].sort(),
    );
    expect(answer.headers["access-control-max-age"]).toBe("600");
    expect(list(answer.headers.vary)).toContain("origin");
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});

describe("/cloud answers its own origin only", () => {
  const cases = ["/cloud/games", "/cloud/games/nobody", "/cloud/nowhere"];

  test.each(["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"])(
    "[B2] %s gets no headers",
    async (origin) => {
      for (const path of cases) {
        for (const method of ["GET", "OPTIONS"]) {
          const answer = await service.request(method, path, { token: service.adminToken, headers: { origin } });
          expect(answer.headers[allowedOrigin]).toBeUndefined();
        }
      }
    },
  );

  test("[B2] its own page gets them, on success, failure and beforehand", async () => {
    for (const path of cases) {
      const answer = await service.request("GET", path, {
        token: service.adminToken,
        headers: { origin: service.url },
      });
      expect(answer.headers[allowedOrigin]).toBe(service.url);
    }
    const asked = await service.request("OPTIONS", "/cloud/games", {
      headers: { origin: service.url, "access-control-request-method": "POST" },
    });
    expect([asked.status, asked.headers[allowedOrigin]]).toEqual([204, service.url]);
  });

  test("[B2] behind a public address that is the own origin", async () => {
    const known = await startService("sqlite", { publicUrl: "https://foyer.example.com" });
    try {
      const ask = async (origin: string) =>
        (await known.request("GET", "/cloud/games", { token: known.adminToken, headers: { origin } })).headers[
          allowedOrigin
        ];
      expect(await ask("https://foyer.example.com")).toBe("https://foyer.example.com");
      expect(await ask(known.url)).toBeUndefined();
    } finally {
      await known.close();
    }
  });
});

describe("answers that no route gives", () => {
  const exposed = "access-control-expose-headers";
  const send = async (text: string) => (await sendRaw(service.port, text)) as Answer;
  const line = (name: string, value: string) => `${name}: ${value}\r\n`;
  const host = line("Host", "localhost");
  const broken = line("Transfer-Encoding", "chunked") + line("Content-Type", "application/json");
  const chunk = "\r\nZZZ\r\n{}\r\n0\r\n\r\n";
  const asDev = () => line("Authorization", `Bearer ${dev}`);

  test("[T19] [T26] what cannot be read as a request may be read about by any page, and is not to be kept", async () => {
    for (const text of [
      "hello\r\n\r\n",
      `BREW /matchmaker/regions HTTP/1.1\r\n${host}${line("Origin", page)}\r\n`,
      `GET /matchmaker/regions HTTP/1.1\r\n${host}${line("Origin", page)}${line("X-Long", "a".repeat(20_000))}\r\n`,
      `GET /matchmaker/regions HTTP/1.1\r\n${host}${line("X-Long", "a".repeat(20_000))}${line("Origin", page)}\r\n`,
    ]) {
      const { status, headers } = await send(text);
      expect([status, headers[allowedOrigin]]).toEqual([400, "*"]);
      expect(list(headers[exposed])).toEqual(["retry-after", "x-request-id"]);
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    }
  });

  test("[B1] [B2] [T19] [T26] a body that breaks off has the headers of its request", async () => {
    const post = (path: string, origin: string, token: string) =>
      send(`POST ${path} HTTP/1.1\r\n${host}${token}${origin && line("Origin", origin)}${broken}${chunk}`);
    const answer = await post("/matchmaker/lobbies/heartbeat", page, asDev());
    expect([answer.status, answer.headers[allowedOrigin]]).toEqual([400, page]);
    expect(list(answer.headers.vary)).toContain("origin");
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    const unasked = await post("/matchmaker/lobbies/heartbeat", "", asDev());
    expect([unasked.status, unasked.headers[allowedOrigin]]).toEqual([400, undefined]);
    expect(list(unasked.headers.vary)).toContain("origin");
    const admin = line("Authorization", `Bearer ${service.adminToken}`);
    const foreign = await post("/cloud/games", page, admin);
    expect([foreign.status, foreign.headers[allowedOrigin]]).toEqual([400, undefined]);
    const own = await post("/cloud/games", "http://localhost", admin);
    expect([own.status, own.headers[allowedOrigin]]).toEqual([400, "http://localhost"]);
  });

  test("[B1] [B2] [T19] [T26] the answer to an unknown expectation has the headers of its request", async () => {
    const expecting = (path: string) =>
      send(`GET ${path} HTTP/1.1\r\n${host}${line("Origin", page)}${line("Expect", "a-miracle")}\r\n`);
    const answer = await expecting("/matchmaker/regions");
    expect([answer.status, answer.headers[allowedOrigin]]).toEqual([400, page]);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect((await expecting("/cloud/games")).headers[allowedOrigin]).toBeUndefined();
  });

  test("[B2] [T19] [T26] [T28] CONNECT has the headers of its request and says what is possible instead", async () => {
    const ask = (origin: string) => send(`CONNECT example.com:443 HTTP/1.1\r\n${host}${line("Origin", origin)}\r\n`);
    const own = await ask("http://localhost");
    expect([own.status, own.headers[allowedOrigin]]).toEqual([405, "http://localhost"]);
    expect(list(own.headers.allow)).toEqual(["delete", "get", "head", "options", "post", "put"]);
    expect(own.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    expect((await ask(page)).headers[allowedOrigin]).toBeUndefined();
  });

  test("[T30] garbage after a request does not get into the answer that is being given", async () => {
    const { path } = await createNamespace(service, await createGame(service));
    const authorization = line("Authorization", `Bearer ${service.adminToken}`);
    const socket = connect(service.port, "127.0.0.1");
    let received = "";
    const isOver = new Promise((resolve) => socket.once("close", resolve));
    // A reset is one of the ways to be closed.
    socket
      .on("error", () => {})
      .on("data", (piece) => {
        if (received === "") socket.write("hello\r\n\r\n");
        received += piece;
      });
    socket.write(`GET ${path}/events HTTP/1.1\r\n${host}${authorization}\r\n`);
    await isOver;
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
  });
});
