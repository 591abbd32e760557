import { METHODS } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationList } from "../../src/contract/index.ts";
import { expectEmpty, expectRefusal, requestIdPattern } from "../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  type NamespaceAtHand,
  type Service,
  startService,
} from "../support/harness.ts";
import { openRaw, sendRaw } from "../support/raw.ts";

// None of this depends on the store, so the faster one does.
let service: Service;
let namespace: NamespaceAtHand;
let devToken: string;

beforeAll(async () => {
  service = await startService("sqlite");
  namespace = await createNamespace(service, await createGame(service));
  devToken = (await createToken(service, namespace, "dev")).token;
});
afterAll(() => service?.close());

const admin = () => ({ token: service.adminToken });
const authorization = () => `Authorization: Bearer ${service.adminToken}\r\n`;
const host = "Host: 127.0.0.1\r\n";

const concretePath = (path: string) =>
  path
    .replace("{game_id}", namespace.game.gameId)
    .replace("{namespace_id}", namespace.namespaceId)
    .replace("{domain}", "example.com")
    .replace(/\{\w+\}/g, "00000000-0000-0000-0000-000000000000");

describe("methods and paths", () => {
  const paths = [
    ...new Set(operationList.map(([, { path }]) => path)),
    "/",
    "/docs",
    "/docs/errors",
    "/healthz",
    "/readyz",
  ];
  const declaredOf = (path: string) => {
    const declared = operationList.filter(([, each]) => each.path === path).map(([, { method }]) => method as string);
    const own = declared.length > 0 ? declared : ["GET"];
    return [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
  };
  // CONNECT asks for a tunnel and has no path; node:http would not let the client send it as a request.
  const methods = METHODS.filter((method) => method !== "CONNECT");

  test.each(paths)("[T28] %s answers every undeclared method with 405 and what it takes", async (path) => {
    const allowed = declaredOf(path);
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const answer = await service.request(method, concretePath(path), admin());
      // The answer to HEAD has headers only.
      if (method === "HEAD") expect([method, answer.status, answer.bytes.length]).toEqual([method, 405, 0]);
      else expectRefusal(answer, "API_METHOD_NOT_ALLOWED");
      expect(answer.headers.allow?.split(", ")).toEqual(allowed);
    }
  });

  test("[T25] the method is looked at before token, content type, size and body", async () => {
    const bodies = ["{", "x".repeat(70_000), "{}"];
    for (const method of ["PATCH", "PUT", "DELETE"]) {
      for (const rawBody of bodies) {
        for (const type of ["application/json", "text/plain", null]) {
          const options = { rawBody, headers: { "content-type": type } };
          const answer = await service.request(method, "/cloud/games", options);
          expectRefusal(answer, "API_METHOD_NOT_ALLOWED");
        }
      }
    }
  });

  test("[T28] HEAD is GET without the body", async () => {
    for (const path of ["/cloud/games", "/healthz", "/docs", namespace.path]) {
      const got = await service.request("GET", path, admin());
      const head = await service.request("HEAD", path, admin());
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers["content-length"]).toBe(got.headers["content-length"]);
    }
  });

  test.each([
    "/nowhere",
    "/cloud",
    "/cloud/",
    "/Cloud/games",
    "//cloud/games",
    "/cloud/games/a/b",
    "/matchmaker",
    "/matchmaker/lobbies",
    "/docs/",
    "/metrics",
    "/favicon.ico",
    "/cloud/games/%zz",
    "/cloud/games/%E0%A4%A/namespaces",
    "/%",
    "/__proto__",
    "/cloud/games/..%2f..%2fetc%2fpasswd/x/y/z",
  ])("[T20] [T27] %s: 404 with the whole error body", async (path) => {
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
      expectRefusal(await service.request(method, path, admin()), "API_NOT_FOUND");
    }
  });

  test("[T27] a name far longer than any is not found either", async () => {
    const answer = await service.request("GET", `/cloud/games/${"a".repeat(5000)}`, admin());
    expectRefusal(answer, "API_NOT_FOUND");
  });

  test("[T25] [T27] an unknown path is 404 whatever comes with it", async () => {
    for (const rawBody of ["{", "x".repeat(70_000), Buffer.from([0xff])]) {
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", null]) {
        const answer = await service.request("POST", "/nowhere", { rawBody, headers: { "content-type": type } });
        expectRefusal(answer, "API_NOT_FOUND");
      }
    }
  });

  test("[K24] a token in an unknown path's query is not repeated in the answer", async () => {
    const answer = await service.request("GET", `/nowhere?token=${service.adminToken}`);
    expectRefusal(answer, "API_NOT_FOUND");
    expect(answer.text).not.toContain(service.adminToken);
  });
});

describe("content types and empty bodies", () => {
  const body = JSON.stringify({ display_name: "A Game", name_id: "a-game" });
  const validate = (headers: Record<string, string | null>, rawBody: string | Buffer = body) =>
    service.request("POST", "/cloud/games/validate", { ...admin(), rawBody, headers });

  test.each([
    "application/json",
    "Application/JSON; Charset=UTF-8",
    'application/json; charset="utf-8"',
    "application/json;charset=utf8",
    "application/json ; charset=utf-8",
    "application/json; profile=x",
    "application/json; profile=x; charset=utf-8",
  ])("[T2] %s passes", async (type) => {
    expect((await validate({ "content-type": type })).status).toBe(200);
  });

  test.each([
    null,
    "",
    "text/plain",
    "text/json",
    "application/jsonp",
    "application/json-patch+json",
    "application/vnd.api+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json, text/plain",
    "json",
  ])("[T2] %s: 415", async (type) => {
    expectRefusal(await validate({ "content-type": type }), "API_UNSUPPORTED_MEDIA_TYPE");
  });

  test("[T2] a chunked body needs its content type as well", async () => {
    const chunked = { "transfer-encoding": "chunked", "content-length": null };
    expect((await validate(chunked)).status).toBe(200);
    expectRefusal(await validate({ ...chunked, "content-type": null }), "API_UNSUPPORTED_MEDIA_TYPE");
    expectRefusal(await validate({ ...chunked, "content-type": "text/plain" }), "API_UNSUPPORTED_MEDIA_TYPE");
  });

  test("[T3] the JSON content type with an empty body passes wherever no body is needed", async () => {
    const headers = { "content-type": "application/json" };
    const calls = [
      ["GET", "/cloud/games", 200],
      ["GET", namespace.path, 200],
      ["POST", `${namespace.path}/tokens/public`, 200],
      ["POST", `${namespace.path}/tokens/server`, 200],
      ["POST", `${namespace.game.path}/tokens/cloud`, 200],
      ["DELETE", `${namespace.path}/domains/nothing.example.com`, 204],
    ] as const;
    for (const [method, path, status] of calls) {
      for (const more of [{}, { "content-length": "0" }, { "transfer-encoding": "chunked" }]) {
        const answer = await service.request(method, path, { ...admin(), headers: { ...headers, ...more } });
        expect([path, more, answer.status]).toEqual([path, more, status]);
      }
    }
    for (const path of ["ready", "stop"]) {
      const options = { token: devToken, headers };
      expectEmpty(await service.request("POST", `/matchmaker/lobbies/${path}`, options));
    }
  });

  test("[T5] `{}` passes where no body is needed, a field does not", async () => {
    for (const [method, path] of [
      ["POST", `${namespace.path}/tokens/public`],
      ["DELETE", `${namespace.path}/domains/nothing.example.com`],
      ["GET", "/cloud/games"],
      ["GET", `${namespace.path}/lobbies?limit=1`],
    ] as const) {
      expect((await service.request(method, path, { ...admin(), body: {} })).status).toBeLessThan(300);
      const refused = await service.request(method, path, { ...admin(), body: { a: 1, b: 2 } });
      expectRefusal(refused, "API_BAD_BODY", [["a"], ["b"]]);
      expectRefusal(await service.request(method, path, { ...admin(), body: [] }), "API_BAD_BODY");
    }
  });

  test("[T5] the body of a GET is read like any other: type, size, JSON, fields; the connection lives on", async () => {
    const get = (options: object) => service.request("GET", "/cloud/games", { ...admin(), ...options });
    expectRefusal(
      await get({ rawBody: "{}", headers: { "content-type": "text/plain" } }),
      "API_UNSUPPORTED_MEDIA_TYPE",
    );
    expectRefusal(await get({ rawBody: `"${"x".repeat(70_000)}"` }), "API_BODY_TOO_LARGE");
    expectRefusal(await get({ rawBody: "{" }), "API_BAD_BODY");
    expectRefusal(await get({ body: { limit: 1 } }), "API_BAD_BODY", [["limit"]]);
    const asked = await service.request("GET", "/matchmaker/regions", { token: devToken, body: { region: "x" } });
    expectRefusal(asked, "API_BAD_BODY", [["region"]]);
    const head = await service.request("HEAD", "/cloud/games", { ...admin(), body: { limit: 1 } });
    expect([head.status, head.bytes.length]).toEqual([400, 0]);

    const connection = await openRaw(service.port);
    const one = (body: string) =>
      `GET /cloud/games HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const [body, status] of [
      ['{"limit":1}', 400],
      ["{}", 200],
      ["", 200],
      ['{"a":1}', 400],
    ] as const) {
      connection.write(one(body));
      expect((await connection.answer())?.status).toBe(status);
    }
    connection.destroy();
  });

  test("[T3] an empty body counts as no body, whatever its content type says", async () => {
    for (const type of ["text/plain", "json", "/", "application/json; charset=latin1", "multipart/form-data"]) {
      const headers = { "content-type": type };
      for (const [method, path, status] of [
        ["GET", "/cloud/games", 200],
        ["GET", "/healthz", 200],
        ["POST", `${namespace.path}/tokens/public`, 200],
        ["DELETE", `${namespace.path}/domains/nothing.example.com`, 204],
      ] as const) {
        for (const more of [{}, { "content-length": "0" }]) {
          const answer = await service.request(method, path, { ...admin(), headers: { ...headers, ...more } });
          expect([type, path, answer.status]).toEqual([type, path, status]);
        }
      }
    }
  });

  test("[T1] [T3] an empty body in chunks needs no content type, and one with content does", async () => {
    const chunked = (method: string, path: string, chunks: string) =>
      `${method} ${path} HTTP/1.1\r\n${host}${authorization()}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
    const ask = (method: string, path: string, chunks = "") => sendRaw(service.port, chunked(method, path, chunks));
    expect((await ask("GET", "/cloud/games"))?.status).toBe(200);
    expect((await ask("POST", `${namespace.path}/tokens/public`))?.status).toBe(200);
    expectRefusal((await ask("POST", "/cloud/games/validate"))!, "API_BAD_BODY");
    expectRefusal((await ask("POST", "/cloud/games/validate", "2\r\n{}\r\n"))!, "API_UNSUPPORTED_MEDIA_TYPE");
    expectRefusal((await ask("GET", "/cloud/games", "2\r\n{}\r\n"))!, "API_UNSUPPORTED_MEDIA_TYPE");
  });

  test("the service's own pages ignore a body", async () => {
    for (const path of ["/healthz", "/readyz", "/docs"]) {
      for (const [rawBody, type] of [
        ["x", "text/plain"],
        ["{", "application/json"],
        ['{"a":1}', "application/json"],
      ] as const) {
        const answer = await service.request("GET", path, { rawBody, headers: { "content-type": type } });
        expect([path, rawBody, answer.status]).toEqual([path, rawBody, 200]);
      }
    }
  });

  test("[T4] an operation that needs a body is 400 without one", async () => {
    for (const headers of [{}, { "content-type": "application/json" }, { "content-length": "0" }]) {
      const answer = await service.request("POST", "/cloud/games/validate", { ...admin(), headers });
      expectRefusal(answer, "API_BAD_BODY");
    }
  });
});

describe("sizes", () => {
  const json = (bytes: number) => {
    const frame = JSON.stringify({ display_name: "", name_id: "a" });
    return JSON.stringify({ display_name: "x".repeat(bytes - frame.length), name_id: "a" });
  };

  test.each(["content-length", "transfer-encoding"])("[T6] 64 KiB pass, one byte more is 413 (%s)", async (framing) => {
    const headers = framing === "content-length" ? {} : { "content-length": null, "transfer-encoding": "chunked" };
    const ask = (rawBody: string) => service.request("POST", "/cloud/games/validate", { ...admin(), rawBody, headers });
    const fitting = await ask(json(64 * 1024));
    expect(fitting.status).toBe(200);
    expect(fitting.json.errors[0].path).toEqual(["display_name", "too_long"]);
    expectRefusal(await ask(json(64 * 1024 + 1)), "API_BODY_TOO_LARGE");
    const tooLarge = await ask(json(1024 * 1024));
    expectRefusal(tooLarge, "API_BODY_TOO_LARGE");
    expect(tooLarge.json.message).toContain("64 KiB");
  });

  test("[T6] a content length that is too large is refused before the body is sent", async () => {
    const head = `POST /cloud/games/validate HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\n`;
    const answer = await sendRaw(service.port, `${head}Content-Length: 99999999\r\n\r\n{`);
    expectRefusal(answer!, "API_BODY_TOO_LARGE");
  });

  test("[T6] a heartbeat may have 1 MiB", async () => {
    const ask = (spaces: number) =>
      service.request("POST", "/matchmaker/lobbies/heartbeat", { token: devToken, rawBody: `{}${" ".repeat(spaces)}` });
    expect((await ask(1024 * 1024 - 2)).status).toBe(200);
    expectRefusal(await ask(1024 * 1024 - 1), "API_BODY_TOO_LARGE");
  });
});

describe("answers", () => {
  test("[T18] every answer carries its own x-request-id, whatever the client sent as one", async () => {
    const ids = new Set<unknown>();
    for (const path of [
      "/",
      "/healthz",
      "/readyz",
      "/docs",
      "/openapi.json",
      "/cloud/games",
      "/nowhere",
      "/cloud/games/%zz",
    ]) {
      const answer = await service.request("GET", path, { headers: { "x-request-id": "mine" } });
      expect(answer.headers["x-request-id"]).toMatch(requestIdPattern);
      ids.add(answer.headers["x-request-id"]);
    }
    expect(ids.size).toBe(8);
  });

  test("[T16] a success without a listed body is 204 with zero bytes on the wire", async () => {
    const body = JSON.stringify({ lobby_count_max: 1, max_players: 1 });
    const connection = await openRaw(service.port);
    connection.write(
      `POST ${namespace.path}/mm-config HTTP/1.1\r\n${host}${authorization()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    const answer = await connection.answer();
    await connection.closed;
    expectEmpty(answer!);
    expect(answer?.headers["content-length"]).toBeUndefined();
    expect(answer?.headers["transfer-encoding"]).toBeUndefined();
  });

  test("[T40] of two requests in one packet the first is answered, and the connection closes", async () => {
    const connection = await openRaw(service.port);
    const one = `GET /cloud/games/nobody HTTP/1.1\r\n${host}${authorization()}\r\n`;
    connection.write(`${one}GET /healthz HTTP/1.1\r\n${host}\r\n`);
    expectRefusal((await connection.answer())!, "CLOUD_GAME_NOT_FOUND");
    expect(await connection.answer()).toBeNull();
    await connection.closed;
  });

  test("[K2] [K3] 401 carries a challenge, with an error only when a token was sent", async () => {
    const none = await service.request("GET", "/cloud/games");
    expectRefusal(none, "TOKEN_MISSING");
    expect(none.headers["www-authenticate"]).toBe("Bearer");
    const wrong = await service.request("GET", "/cloud/games", { token: "cloud_nonsense" });
    expectRefusal(wrong, "TOKEN_INVALID");
    expect(wrong.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    const forbidden = await service.request("GET", "/cloud/games", { token: devToken });
    expectRefusal(forbidden, "TOKEN_FORBIDDEN");
    expect(forbidden.headers["www-authenticate"]).toBeUndefined();
  });
});
