import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createMetrics } from "../../../src/ground/metrics.ts";
import { createLoad } from "../../../src/http/limits.ts";
import { expectRefusal } from "../../support/expectations.ts";
import {
  createGame,
  createNamespace,
  createToken,
  type NamespaceAtHand,
  type Service,
  startService,
} from "../../support/harness.ts";
import { sendRaw } from "../../support/raw.ts";

/** What is true of every answer, whatever was asked. */
let service: Service;
let namespace: NamespaceAtHand;
let isClockBroken = false;

function now(): number {
  if (isClockBroken) throw new Error("select secret from clock_internals");
  return Date.now();
}

beforeAll(async () => {
  service = await startService("sqlite", {}, { now });
  namespace = await createNamespace(service, await createGame(service));
});
afterAll(() => service?.close());

const admin = () => ({ token: service.adminToken });

test("[T19] successes, refusals and probes are not to be kept, and no answer to be guessed at", async () => {
  const dev = (await createToken(service, namespace, "dev")).token;
  const answers = [
    await service.request("GET", "/cloud/games", admin()),
    await service.request("POST", `${namespace.path}/tokens/public`, admin()),
    await service.request("POST", "/matchmaker/lobbies/ready", { token: dev }),
    await service.request("GET", "/cloud/games"),
    await service.request("PATCH", "/cloud/games"),
    await service.request("OPTIONS", "/matchmaker/regions"),
    await service.request("POST", "/cloud/games", { ...admin(), rawBody: "{" }),
    await service.request("GET", "/nowhere"),
    await service.request("GET", "/cloud/games/%zz"),
    await service.request("GET", "/readyz"),
    await service.request("GET", "/healthz"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 401, 405, 204, 400, 404, 404, 200, 200]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  }
  for (const path of ["/docs", "/openapi.json"]) {
    expect((await service.request("GET", path)).headers["x-content-type-options"]).toBe("nosniff");
  }
});

test("[T21] for a hostile body the first hundred issues are named", async () => {
  const body = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`f${index}`, 1]));
  const answer = await service.request("POST", "/cloud/games/validate", { ...admin(), body });
  expectRefusal(answer, "API_BAD_BODY");
  expect(answer.json.errors).toHaveLength(100);
  expect(answer.json.metadata).toBeUndefined();
});

test("[T22] an internal error is 500 without details, which are in the log under the request id", async () => {
  isClockBroken = true;
  const body = { display_name: "A", name_id: "never-made" };
  const answer = await service.request("POST", "/cloud/games", { ...admin(), body });
  isClockBroken = false;
  expectRefusal(answer, "API_INTERNAL");
  expect(answer.text).not.toMatch(/select|clock|Error|\.ts|\bat /);
  const log = readFileSync(join(service.dataDir, "..", "..", "logs", `${basename(service.dataDir)}.log`), "utf8");
  const lines = log.split("\n").filter((line) => line.includes(answer.json.request_id));
  expect(lines.some((line) => line.includes("clock_internals"))).toBe(true);
  expectRefusal(await service.request("GET", "/cloud/games/never-made", admin()), "CLOUD_GAME_NOT_FOUND");
});

test("[T23] a page has a hundred entries unless the caller says otherwise, and at most 500", async () => {
  const { path } = await createNamespace(service, namespace.game);
  for (let count = 0; count < 101; count++) await service.admin("POST", `${path}/tokens/public`);
  const list = (query = "") => service.admin("GET", `${path}/tokens${query}`);
  const first = await list();
  expect([first.tokens.length, typeof first.cursor]).toEqual([100, "string"]);
  const rest = await list(`?cursor=${encodeURIComponent(first.cursor)}`);
  expect([rest.tokens.length, rest.cursor]).toEqual([1, undefined]);
  expect((await list("?limit=500")).tokens).toEqual([...first.tokens, ...rest.tokens]);
});

test("[T27] an empty id or name is no path, whatever is asked of it", async () => {
  const ask = (path: string, method = "GET") => service.request(method, path, admin());
  for (const path of [
    "/cloud/games/",
    "/cloud/games/?limit=1",
    `${namespace.game.path}/namespaces/`,
    `${namespace.path}/`,
    `${namespace.path}/domains/`,
    "/cloud/games//namespaces",
    "/matchmaker/lobbies//state",
    "/healthz/",
    "/CLOUD/games",
  ]) {
    for (const method of ["GET", "POST", "DELETE"]) expectRefusal(await ask(path, method), "API_NOT_FOUND");
  }
  expect((await ask("/cloud/games?cursor=//")).json.code).toBe("API_BAD_QUERY");
});

test("[T29] the service's own pages do not answer under a foreign name either", async () => {
  for (const path of ["/healthz", "/readyz", "/docs", "/"]) {
    const answer = await sendRaw(service.port, `GET ${path} HTTP/1.1\r\nHost: 10.0.0.7:7100\r\n\r\n`);
    expect([path, answer?.status]).toEqual([path, 421]);
  }
});

describe("a service that has too much to do", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("[T25] [T32] says so after the path and before everything else; /healthz still answers", async () => {
    const busy = await startService("sqlite", { maxInFlight: 0 });
    try {
      expectRefusal(await busy.request("GET", "/nowhere"), "API_NOT_FOUND");
      expect((await busy.request("GET", "/healthz")).status).toBe(200);
      const foreign = { headers: { host: "evil.example" } };
      for (const answer of [
        await busy.request("PATCH", "/cloud/games"),
        await busy.request("GET", "/cloud/games", foreign),
        await busy.request("GET", "/cloud/games"),
        await busy.request("GET", "/readyz"),
        await busy.request("POST", "/cloud/games", { rawBody: "{", headers: { "content-type": "text/plain" } }),
      ]) {
        expectRefusal(answer, "API_UNAVAILABLE");
        expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      }
    } finally {
      await busy.close();
    }
  });

  test("[T32] is one whose journal cannot keep up", () => {
    let isBehind = false;
    const load = createLoad(10, createMetrics(), { ...noLoad, isStoreBehind: () => isBehind });
    expect(load.isOverloaded()).toBe(false);
    isBehind = true;
    expect(load.isOverloaded()).toBe(true);
    load.stop();
  });

  test("[T32] is one whose event loop keeps being more than a second late, until it is no longer", async () => {
    const load = createLoad(10, createMetrics(), noLoad);
    while (!load.isOverloaded()) {
      const startedAt = performance.now();
      while (performance.now() - startedAt < 1_700);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    while (load.isOverloaded()) await new Promise((resolve) => setTimeout(resolve, 50));
    load.stop();
  });

  test("[FG7] has no room from seven eighths of its limit on, and while its journal is behind", () => {
    const metrics = createMetrics();
    let isBehind = false;
    const load = createLoad(16, metrics, { ...noLoad, isStoreBehind: () => isBehind });
    for (let count = 0; count < 13; count++) metrics.requestStarted();
    expect(load.isFull()).toBe(false);
    metrics.requestStarted();
    expect([load.isFull(), load.isOverloaded()]).toEqual([true, false]);
    metrics.requestDone("none", 200, 0);
    expect(load.isFull()).toBe(false);
    isBehind = true;
    expect(load.isFull()).toBe(true);
    load.stop();
  });
});

const noLoad = { isStoreBehind: () => false, waitingCount: () => 0 };
