import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { storedPage } from "../../src/http/stored-page.ts";
import { expectRefusal } from "../support/expectations.ts";
import { type Service, startService } from "../support/harness.ts";

const trusting = { trustedProxies: ["127.0.0.1"] };
const paths = ["/", "/docs", "/docs/errors", "/docs/site.css", "/llms.txt", "/openapi.json", "/openapi-3.0.json"];

describe("the service's own pages", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService("sqlite");
  });
  afterAll(() => service?.close());
  const get = (path: string, headers: Record<string, string> = {}) => service.request("GET", path, { headers });

  test("[PG1] /ping answers pages of any origin, as often as they like", async () => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => get("/ping", { origin: "https://play.example.com" })),
    );
    for (const { status, bytes, headers } of answers) {
      expect([status, bytes.length]).toEqual([204, 0]);
      expect(headers).toMatchObject({
        "access-control-allow-origin": "*",
        "timing-allow-origin": "*",
        "cache-control": "no-store",
      });
    }
  });

  test.each(paths)("[T62] %s is asked for each time and sent when it has changed", async (path) => {
    const page = await get(path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding, Origin" });
    const etag = page.headers.etag!;
    expect(etag).toMatch(/^"[\w-]{16,}"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await get(path, { "if-none-match": known });
      expect([known, again.status, again.bytes.length]).toEqual([known, 304, 0]);
      expect(again.headers).toMatchObject({ etag, "cache-control": "no-cache", vary: "Accept-Encoding, Origin" });
      expect(again.headers["content-type"]).toBeUndefined();
    }
    for (const other of ['"other"', etag.slice(1, -1), ""]) {
      expect((await get(path, { "if-none-match": other })).text === page.text).toBe(true);
    }
  });

  test.each(paths)("[T63] %s is compressed for clients that take it", async (path) => {
    const plain = await get(path);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const isSmall = plain.bytes.length < 1024;
    const forms: [accepted: string, coding: string | undefined][] = [
      ["gzip", "gzip"],
      ["br", "br"],
      ["gzip, deflate, br, zstd", "br"],
      ["GZIP;q=1.0, br;q=0.5", "gzip"],
      ["br;q=0, gzip", "gzip"],
      ["*", "br"],
      ["deflate", undefined],
      ["identity", undefined],
      ["br;q=0, gzip;q=0", undefined],
      ["br;q=x", undefined],
    ];
    for (const [accepted, coding] of forms) {
      const answer = await get(path, { "accept-encoding": accepted });
      const given = answer.headers["content-encoding"];
      expect([accepted, given]).toEqual([accepted, isSmall ? undefined : coding]);
      const decode = given === "br" ? brotliDecompressSync : given === "gzip" ? gunzipSync : (bytes: Buffer) => bytes;
      expect(decode(answer.bytes).equals(plain.bytes)).toBe(true);
      expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
      if (given === undefined) continue;
      // Other bytes, so another strong tag.
      expect(answer.headers.etag).not.toBe(plain.headers.etag);
      const known = { "accept-encoding": accepted, "if-none-match": answer.headers.etag! };
      expect((await get(path, known)).status).toBe(304);
    }
  });

  test.each(paths)("[T28] [T62] HEAD %s has the headers of GET and no body", async (path) => {
    for (const headers of [{}, { "accept-encoding": "br" }]) {
      const { "x-request-id": _, date: _date, ...expected } = (await get(path, headers)).headers;
      const { bytes, headers: given } = await service.request("HEAD", path, { headers });
      expect(bytes.length).toBe(0);
      expect(given).toMatchObject(expected);
    }
    const etag = (await get(path)).headers.etag!;
    expect((await service.request("HEAD", path, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("[T19] probes are not to be kept", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      expect((await get(path)).headers).toMatchObject({ "cache-control": "no-store" });
    }
  });
});

test("[T63] the bytes of a page are made once for each encoding", async () => {
  const app = Fastify();
  const page = storedPage("text/plain; charset=utf-8", "some text ".repeat(1000));
  const sent: unknown[] = [];
  app.addHook("onSend", (_request, _reply, payload, done) => {
    sent.push(payload);
    done();
  });
  app.get("/", (request, reply) => page.send(request, reply));
  for (const coding of ["identity", "gzip", "br"]) {
    for (let time = 0; time < 2; time++) await app.inject({ url: "/", headers: { "accept-encoding": coding } });
    const [first, second] = sent.splice(0);
    expect(first).toBeInstanceOf(Buffer);
    expect(first === second).toBe(true);
  }
});

describe("how often", () => {
  let service: Service;
  afterEach(() => service?.close());
  const ask = (path: string, client?: string) =>
    service.request("GET", path, { headers: client === undefined ? {} : { "x-forwarded-for": client } });

  test("[T65] a client's requests for pages are counted together; probes are not counted", async () => {
    service = await startService("sqlite", { ...trusting, ratePages: 3 });
    expect((await ask("/docs", "192.0.2.1")).headers).toMatchObject({
      "ratelimit-limit": "3",
      "ratelimit-remaining": "2",
    });
    expect((await ask("/openapi.json", "192.0.2.1")).status).toBe(200);
    expect((await ask("/", "192.0.2.1")).status).toBe(200);
    for (const path of paths) {
      const refused = await ask(path, "192.0.2.1");
      expectRefusal(refused, "API_RATE_LIMIT");
      expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
      expect(refused.headers["cache-control"]).toBe("no-store");
    }
    for (const path of ["/healthz", "/readyz"]) expect((await ask(path, "192.0.2.1")).status).toBe(200);
    expect((await ask("/docs", "192.0.2.2")).status).toBe(200);
    // A client that has spent its page budget may still play.
    expectRefusal(await ask("/matchmaker/regions", "192.0.2.1"), "TOKEN_MISSING");
  });

  test("[T34] [T65] pages count against the address too, and not for direct loopback", async () => {
    service = await startService("sqlite", { ...trusting, rateAddress: 2 });
    expect((await ask("/docs", "192.0.2.1")).status).toBe(200);
    expect((await ask("/docs", "192.0.2.1")).status).toBe(200);
    expectRefusal(await ask("/docs", "192.0.2.1"), "API_RATE_LIMIT");
    expectRefusal(await ask("/matchmaker/regions", "192.0.2.1"), "API_RATE_LIMIT");
    for (let count = 0; count < 5; count++) expect((await ask("/docs")).status).toBe(200);
  });

  const misses: [method: string, path: string, code: "API_NOT_FOUND" | "API_METHOD_NOT_ALLOWED"][] = [
    ["GET", "/nowhere", "API_NOT_FOUND"],
    ["GET", "/cloud/games//namespaces", "API_NOT_FOUND"],
    ["GET", "/%zz", "API_NOT_FOUND"],
    ["PATCH", "/cloud/games", "API_METHOD_NOT_ALLOWED"],
    ["POST", "/docs", "API_METHOD_NOT_ALLOWED"],
  ];

  test.each(misses)(
    "[GP9] %s %s counts like a page; beyond the limit it ends its connection",
    async (method, path, code) => {
      service = await startService("sqlite", { ...trusting, ratePages: 2 });
      const miss = (client?: string) =>
        service.request(method, path, { headers: client === undefined ? {} : { "x-forwarded-for": client } });
      for (const connection of ["keep-alive", "keep-alive", "close", "close"]) {
        const answer = await miss("192.0.2.1");
        expectRefusal(answer, code);
        expect(answer.headers.connection).toBe(connection);
      }
      expectRefusal(await ask("/docs", "192.0.2.1"), "API_RATE_LIMIT");
      expect((await miss("192.0.2.2")).headers.connection).toBe("keep-alive");
      for (let count = 0; count < 4; count++) expect((await miss()).headers.connection).toBe("keep-alive");
    },
  );
});
