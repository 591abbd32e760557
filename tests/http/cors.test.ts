import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationList } from "../../src/contract/index.ts";
import { createGame, createNamespace, createToken, type Service, startService } from "./harness.ts";

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
      ["authorization", "content-type", "idempotency-key"].sort(),
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
