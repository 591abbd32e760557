import { describe, expect, test } from "vitest";
import { createChance } from "./chance.ts";
import type { RawAnswer } from "./connection.ts";
import { readOperations } from "./document.ts";
import { fuzz } from "./fuzz.suite.ts";
import { judge, judgeEvents } from "./judge.ts";
import { type FuzzRequest, nextRequest, showRequest, writeRequest } from "./requests.ts";
import { createWorld } from "./world.ts";

const operations = readOperations();

fuzz({ requests: 3_000, seeds: { embedded: 5, redis: 4 }, reachesAll: false });

const spent = { expired: "cloud_expired", revoked: "cloud_revoked" };

/** The first requests of a sequence, as they would be if every answer were empty. */
function firstRequests(ofSeed: number, count: number): FuzzRequest[] {
  const world = createWorld(0, `admin_${"q".repeat(43)}`);
  const chance = createChance(ofSeed, 0);
  return Array.from({ length: count }, (_, index) => nextRequest(index, operations, world, spent, chance));
}

test("[FZ2] the same seed makes the same requests, another seed makes others", () => {
  const bytes = (ofSeed: number) =>
    firstRequests(ofSeed, 500).map((request) => writeRequest(request).toString("latin1"));
  expect(bytes(7)).toEqual(bytes(7));
  expect(bytes(8)).not.toEqual(bytes(7));
});

test("[FZ2] a request is shown without its token", () => {
  const shown = firstRequests(1, 2000).map(showRequest).join("\n");
  expect(shown).toContain("Bearer admin_…");
  expect(shown).not.toContain("q".repeat(20));
});

describe("the judge", () => {
  const operation = operations.find(({ id }) => id === "games.getGame")!;
  const request: FuzzRequest = {
    index: 0,
    operation,
    method: "GET",
    target: "/cloud/games/a",
    headers: [],
    body: null,
    token: `cloud_${"b".repeat(43)}`,
    isPathOdd: false,
  };
  const headers = {
    "x-request-id": "request-1",
    "x-content-type-options": "nosniff",
    "content-type": "application/json; charset=utf-8",
  };
  const answer = (status: number, body: unknown, more: Record<string, string> = {}): RawAnswer => ({
    status,
    headers: new Map(Object.entries({ ...headers, ...more }).filter(([, value]) => value !== "")),
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    stream: null,
  });
  const failure = (code: string) => ({
    code,
    message: "No.",
    request_id: "request-1",
    documentation: `/docs/errors#${code}`,
  });
  const game = {
    game_id: "01234567-89ab-4cde-8f01-23456789abcd",
    name_id: "a",
    display_name: "A",
    create_ts: "2031-01-01T00:00:00.000Z",
  };

  test("[FZ1] what is declared passes", () => {
    expect(judge(operations, request, answer(200, { game }))).toBeNull();
    expect(judge(operations, request, answer(404, failure("CLOUD_GAME_NOT_FOUND")))).toBeNull();
    expect(judge(operations, { ...request, target: "/nowhere" }, answer(404, failure("API_NOT_FOUND")))).toBeNull();
  });

  test.each<[string, RawAnswer]>([
    ["500", answer(500, failure("API_INTERNAL"))],
    ["an undeclared status", answer(410, failure("MATCHMAKER_LOBBY_STOPPED"))],
    ["an undeclared code", answer(404, failure("CLOUD_BUILD_NOT_FOUND"))],
    ["a field of another type", answer(200, { game: { ...game, game_id: 5 } })],
    ["a field too many", answer(200, { game, more: 1 })],
    ["a missing field", answer(200, {})],
    ["no JSON", answer(200, undefined)],
    ["another content type", answer(200, { game }, { "content-type": "text/html" })],
    ["no request id", answer(200, { game }, { "x-request-id": "" })],
    ["another request id", answer(404, failure("CLOUD_GAME_NOT_FOUND"), { "x-request-id": "request-2" })],
    ["a limit without retry-after", answer(429, failure("API_RATE_LIMIT"))],
    ["an unknown path of an operation", answer(404, failure("API_NOT_FOUND"))],
    ["the token of the request", answer(200, { game: { ...game, display_name: request.token } })],
  ])("[FZ1] %s does not", (_title, given) => {
    expect(judge(operations, request, given)).not.toBeNull();
  });

  test("[FZ3] an event that does not name itself, or has another shape, does not", () => {
    const watch = operations.find(({ id }) => id === "lobbies.watch")!;
    const events = (name: string, data: unknown) => [{ name, data: JSON.stringify(data) }];
    expect(judgeEvents(watch, events("added", { event: "added", lobbies: [] }))).toBeNull();
    expect(judgeEvents(watch, events("added", { lobbies: [] }))).not.toBeNull();
    expect(judgeEvents(watch, events("added", { event: "changed", lobbies: [] }))).not.toBeNull();
    expect(judgeEvents(watch, events("added", { event: "added", lobby_ids: [] }))).not.toBeNull();
  });
});

test("[FZ4] every operation declares what any request may be refused with before it is looked at", () => {
  const expected = { 400: "API_BAD_HEADER", 401: "TOKEN_EXPIRED", 408: "API_REQUEST_TIMEOUT" };
  for (const [status, code] of Object.entries(expected)) {
    expect(operations.filter(({ answers }) => !answers.get(Number(status))?.codes.has(code))).toEqual([]);
  }
});
