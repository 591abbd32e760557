import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, requestIdPattern } from "../support/expectations.ts";
import {
  type Answer,
  createGame,
  createNamespace,
  createToken,
  type Service,
  startService,
} from "../support/harness.ts";
import { openRaw, sendRaw } from "../support/raw.ts";

let service: Service;
let tooSlow: Promise<Answer | null>;
let tooLong: Promise<Answer | null>;
let tooLongForPage: Promise<Answer | null>;
const page = "https://play.example.com";

beforeAll(async () => {
  service = await startService("sqlite");
  // They take as long as the service is patient, so they start first and are looked at last.
  tooSlow = sendRaw(service.port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
  const json = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  tooLong = sendRaw(service.port, `POST /cloud/games HTTP/1.1\r\nHost: localhost\r\n${authorization()}${json}`);
  const dev = (await createToken(service, await createNamespace(service, await createGame(service)), "dev")).token;
  const fromPage = `Authorization: Bearer ${dev}\r\nOrigin: ${page}\r\n`;
  const heartbeat = "POST /matchmaker/lobbies/heartbeat HTTP/1.1\r\nHost: localhost\r\n";
  tooLongForPage = sendRaw(service.port, `${heartbeat}${fromPage}${json}`);
});
afterAll(() => service?.close());

const authorization = () => `Authorization: Bearer ${service.adminToken}\r\n`;
const host = "Host: 127.0.0.1\r\n";

describe("what is not HTTP", () => {
  test.each([
    ["garbage", "hello\r\n\r\n"],
    ["a TLS greeting", Buffer.from("16030100a5010000a10303", "hex")],
    ["another protocol", "GET / SPDY/3\r\n\r\n"],
    ["a space in a header name", `GET /healthz HTTP/1.1\r\n${host}X Y: z\r\n\r\n`],
    ["a bare line feed in a header", `GET /healthz HTTP/1.1\r\n${host}X-A: b\nX-B: c\r\n\r\n`],
    ["two content lengths", `POST /cloud/games HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ["a negative content length", `POST /cloud/games HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`],
    [
      "both framings",
      `POST /cloud/games HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["an unknown method", `BREW /cloud/games HTTP/1.1\r\n${host}\r\n`],
    ["headers of 20 KiB", `GET /healthz HTTP/1.1\r\n${host}X-Long: ${"a".repeat(20_000)}\r\n\r\n`],
    ["a path of 20 KiB", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n"],
    ["two hosts", `GET /healthz HTTP/1.1\r\n${host}hOST: evil.example\r\n\r\n`],
    ["the same host twice", `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`],
  ])("[T20] [T30] %s: 400 API_BAD_HEADER with the error body", async (_title, text) => {
    const answer = await sendRaw(service.port, text);
    expect(answer).not.toBeNull();
    expectRefusal(answer!, "API_BAD_HEADER");
  });

  test.each([
    ["two Authorization headers", "Authorization: Bearer admin_a\r\nAUTHORIZATION: Bearer admin_b\r\n"],
    ["the same Authorization header twice", "Authorization: Bearer admin_a\r\nAuthorization: Bearer admin_a\r\n"],
    ["two Content-Type headers", "Content-Type: application/json\r\ncontent-type: text/plain\r\n"],
    ["two Content-Type headers without a body", "Content-Type: a/b\r\nContent-Type: a/b\r\nContent-Length: 0\r\n"],
  ])("[T55] %s: 400 API_BAD_HEADER, before the token is looked at", async (_title, headers) => {
    const answer = await sendRaw(service.port, `GET /cloud/games HTTP/1.1\r\n${host}${headers}\r\n`);
    expectRefusal(answer!, "API_BAD_HEADER");
    expect(answer!.headers.connection).toBe("close");
  });

  test.each([
    ["gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n"],
    ["chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n"],
    ["identity, chunked", "Transfer-Encoding: identity, chunked\r\n"],
    ["gzip and then chunked", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"],
    ["gzip alone", "Transfer-Encoding: gzip\r\n"],
    ["an unknown one", "Transfer-Encoding: xchunked\r\n"],
  ])("[T56] the transfer encoding %s: 400, and nothing after it is read", async (_title, headers) => {
    const head = `POST /cloud/games/validate HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\n`;
    const connection = await openRaw(service.port);
    connection.write(`${head}${headers}\r\n2\r\n{}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n${host}\r\n`);
    expectRefusal((await connection.answer())!, "API_BAD_HEADER");
    expect(await connection.answer()).toBeNull();
    connection.destroy();
  });

  test("[T56] chunked alone is taken, in any case of letters", async () => {
    const head = `POST /cloud/games/validate HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\n`;
    for (const coding of ["chunked", "Chunked"]) {
      const text = `${head}Transfer-Encoding: ${coding}\r\n\r\n24\r\n{"display_name":"A","name_id":"a-b"}\r\n0\r\n\r\n`;
      expect((await sendRaw(service.port, text))?.status).toBe(200);
    }
  });

  test("[T30] a request that stops in its headers: 400, then the connection ends", async () => {
    const answer = await sendRaw(service.port, `GET /healthz HTTP/1.1\r\n${host}X-Half`, "end");
    expectRefusal(answer!, "API_BAD_HEADER");
  });

  test("a body that stops short: one answer at most, and the service lives on", async () => {
    const head = `POST /cloud/games HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\n`;
    for (const rest of ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"]) {
      const connection = await openRaw(service.port);
      connection.write(head + rest);
      connection.end();
      const first = await connection.answer();
      if (first !== null) {
        expect(first.status).toBe(400);
        expect(first.json.request_id).toBe(first.headers["x-request-id"]);
      }
      expect(await connection.answer()).toBeNull();
      connection.destroy();
    }
    expect((await service.request("GET", "/healthz")).status).toBe(200);
  });

  test("[T20] a broken chunk: 400 with the error body", async () => {
    const head = `POST /cloud/games HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\n`;
    const answer = await sendRaw(service.port, `${head}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n{}\r\n0\r\n\r\n`);
    expect(answer?.status).toBe(400);
    expect(answer?.json).toMatchObject({ code: expect.stringMatching(/^API_BAD_/), request_id: expect.any(String) });
  });

  test("[T30] an unknown expectation has the error body too", async () => {
    const answer = await sendRaw(service.port, `GET /healthz HTTP/1.1\r\n${host}Expect: a-miracle\r\n\r\n`);
    expect(answer?.json?.code).toMatch(/^API_/);
    expect(answer?.headers["x-request-id"]).toMatch(requestIdPattern);
  });

  test.each(["100-continue-not", "100-continue, a-miracle", "x 100-continue"])(
    "[T30] the expectation %s is none that can be met: 400, as the last answer",
    async (expectation) => {
      const connection = await openRaw(service.port);
      const body = "Content-Type: application/json\r\nContent-Length: 2\r\n";
      connection.write(
        `POST /cloud/games/validate HTTP/1.1\r\n${host}${authorization()}${body}Expect: ${expectation}\r\n\r\n{}`,
      );
      let answer = await connection.answer();
      if (answer?.status === 100) answer = await connection.answer();
      expectRefusal(answer!, "API_BAD_HEADER");
      expect(await connection.answer()).toBeNull();
      connection.destroy();
    },
  );

  test("100-continue works", async () => {
    const body = JSON.stringify({ display_name: "", name_id: "" });
    const connection = await openRaw(service.port);
    connection.write(
      `POST /cloud/games/validate HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    connection.write(body);
    let answer = await connection.answer();
    if (answer?.status === 100) answer = await connection.answer();
    expect(answer?.status).toBe(200);
    connection.destroy();
  });

  test("[T28] CONNECT is not left without an answer", async () => {
    const answer = await sendRaw(service.port, "CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(answer?.status).toBe(405);
  });

  test("[T28] a CONNECT that is reset, or keeps sending, or never ends, costs nothing and affects no other request", async () => {
    const text = "CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const [reset, sending, silent] = await Promise.all([1, 2, 3].map(() => openRaw(service.port)));
    for (const connection of [reset!, sending!, silent!]) {
      connection.write(text);
      expect((await connection.answer())?.status).toBe(405);
    }
    sending!.write("more");
    sending!.end();
    reset!.reset();
    await Promise.all([sending!.closed, silent!.closed]);
    expect((await service.request("GET", "/healthz")).status).toBe(200);
  });

  test("an offer to upgrade is answered as if it had not been made", async () => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const answer = await sendRaw(service.port, `GET /healthz HTTP/1.1\r\n${host}${upgrade}\r\n`);
    expect(answer?.status).toBe(200);
  });
});

describe("hosts", () => {
  const ask = (name: string, path = "/cloud/games") =>
    sendRaw(service.port, `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n${authorization()}\r\n`);

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.2",
    "[::2]",
    "0.0.0.0",
    "evil.example:7100",
    "xlocalhost",
    "2130706433",
  ])("[T29] %s is a foreign host: 421 everywhere", async (name) => {
    for (const path of ["/cloud/games", "/docs", "/openapi.json", "/", "/matchmaker/regions"]) {
      expectRefusal((await ask(name, path))!, "API_WRONG_HOST");
    }
  });

  test.each(["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:7100", "[::1]", "[::1]:7100"])(
    "[T29] %s is fine",
    async (name) => {
      expect((await ask(name))?.status).toBe(200);
    },
  );

  test("[T25] the route and the method are looked at before the host, the token after it", async () => {
    expectRefusal((await ask("evil.example", "/nowhere"))!, "API_NOT_FOUND");
    const wrongMethod = await sendRaw(service.port, "PATCH /cloud/games HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    expectRefusal(wrongMethod!, "API_METHOD_NOT_ALLOWED");
    const noToken = await sendRaw(service.port, "GET /cloud/games HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    expectRefusal(noToken!, "API_WRONG_HOST");
  });

  test("[T29] the host of public_url is fine as well", async () => {
    const known = await startService("sqlite", { publicUrl: "https://play.example.com" });
    try {
      const get = (name: string) => sendRaw(known.port, `GET /docs HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
      expect((await get("play.example.com"))?.status).toBe(200);
      expect((await get("PLAY.example.com:443"))?.status).toBe(200);
      expectRefusal((await get("example.com"))!, "API_WRONG_HOST");
    } finally {
      await known.close();
    }
  });
});

test("[T26] [T31] headers that do not arrive in time: 408, which any page may read", async () => {
  const answer = await tooSlow;
  expectRefusal(answer!, "API_REQUEST_TIMEOUT");
  expect(answer!.headers["access-control-allow-origin"]).toBe("*");
});

test("[T31] a body that does not arrive in time: 408", { timeout: 60_000 }, async () => {
  const answer = await tooLong;
  expectRefusal(answer!, "API_REQUEST_TIMEOUT");
});

test("[T26] [T31] the page that sent it may read that", { timeout: 60_000 }, async () => {
  const answer = await tooLongForPage;
  expectRefusal(answer!, "API_REQUEST_TIMEOUT");
  expect(answer!.headers).toMatchObject({ "access-control-allow-origin": page, vary: "Origin" });
});
