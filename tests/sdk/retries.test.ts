import { expect, test } from "vitest";
import { FoyerError, isFoyerError } from "../../sdk/src/error.ts";
import { createFoyer } from "../../sdk/src/foyer.ts";
import { createMatchmaker } from "../../sdk/src/matchmaker.ts";

interface Seen {
  readonly method: string;
  readonly key: string | null;
}

/** A fetch that answers in this order; a text is an error of the connection. */
function scripted(...answers: (Response | string)[]) {
  const seen: Seen[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    seen.push({ method: init.method ?? "GET", key: new Headers(init.headers).get("idempotency-key") });
    init.signal?.throwIfAborted();
    const answer = answers.shift();
    if (answer === undefined) throw new Error("No answer is left.");
    if (typeof answer === "string") throw new TypeError(answer);
    return answer;
  };
  const foyer = createFoyer({
    endpoint: "http://foyer.test/",
    token: "pub_x",
    fetch: fetch as typeof globalThis.fetch,
  });
  return { foyer, seen };
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ code, message: "The reason.", request_id: "r-1" }, { status, headers });
const unavailable = () => refusal(503, "API_UNAVAILABLE", { "retry-after": "0" });
const seat = () => Response.json({ lobby: { lobby_id: "x" }, ports: {}, player: { token: "t" }, players: [] });

test("[SK2] a find is repeated with one key until it is answered", async () => {
  const { foyer, seen } = scripted("socket hang up", unavailable(), seat());
  await foyer.lobbies.find({ game_modes: ["duel"] });
  expect(seen).toHaveLength(3);
  expect(seen[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
});

test("[SK2] a call that could happen twice is sent once", async () => {
  const { foyer, seen } = scripted(unavailable(), seat());
  await expect(foyer.players.connected({ player_token: "t" })).rejects.toMatchObject({ code: "API_UNAVAILABLE" });
  await expect(foyer.games.createGame({ display_name: "A", name_id: "a" })).resolves.toBeDefined();
  expect(seen).toHaveLength(2);
});

test("[SK2] retries end: after their number, at a refusal that does not pass, and where the pause would be too long", async () => {
  const many = scripted(...Array.from({ length: 9 }, unavailable));
  await expect(many.foyer.regions.list()).rejects.toBeInstanceOf(FoyerError);
  expect(many.seen).toHaveLength(5);
  const final = scripted(refusal(404, "MATCHMAKER_LOBBY_NOT_FOUND"));
  await expect(final.foyer.lobbies.join({ lobby_id: "x" })).rejects.toMatchObject({ status: 404 });
  const later = scripted(refusal(429, "API_RATE_LIMIT", { "retry-after": "60" }));
  await expect(later.foyer.regions.list()).rejects.toMatchObject({ retryAfterMs: 60_000 });
  expect([final.seen.length, later.seen.length]).toEqual([1, 1]);
});

test("[SK2] a find is not repeated after a lobby that failed, and is where only a slot is missing", async () => {
  const failed = (metadata: object, headers: Record<string, string> = { "retry-after": "0" }) =>
    Response.json({ code: "MATCHMAKER_LOBBY_START_FAILED", message: "-", metadata }, { status: 503, headers });
  for (const answer of [failed({ lobby_id: "x" }), failed({ consecutive_failures: 3 }), failed({}, {})]) {
    const { foyer, seen } = scripted(answer, seat());
    const find = foyer.lobbies.find({ game_modes: ["duel"] });
    await expect(find).rejects.toMatchObject({ code: "MATCHMAKER_LOBBY_START_FAILED" });
    expect(seen).toHaveLength(1);
  }
  const full = scripted(failed({}), refusal(503, "MATCHMAKER_LOBBY_NOT_READY", { "retry-after": "0" }), seat());
  await full.foyer.lobbies.find({ game_modes: ["duel"] });
  expect(full.seen).toHaveLength(3);
});

test("[SK2] an abort ends a call and its pauses", async () => {
  const controller = new AbortController();
  const { foyer } = scripted(refusal(503, "API_UNAVAILABLE", { "retry-after": "9" }), seat());
  const call = foyer.lobbies.find({ game_modes: ["duel"] }, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("Enough.")), 20);
  await expect(call).rejects.toThrow("Enough.");
});

test("[SK3] an error carries what Foyer said; its code has the type of the operation's codes", async () => {
  const { foyer } = scripted(
    Response.json(
      { code: "MATCHMAKER_LOBBY_FULL", message: "Full.", request_id: "r-7", errors: [{ path: ["a"], message: "b" }] },
      { status: 409, headers: { "x-request-id": "r-7" } },
    ),
  );
  try {
    await foyer.lobbies.join({ lobby_id: "x" });
    expect.unreachable();
  } catch (error) {
    if (!isFoyerError(error, "lobbies.join")) throw error;
    const { code, status, requestId, errors, message } = error;
    expect({ code, status, requestId, errors, message }).toEqual({
      code: "MATCHMAKER_LOBBY_FULL",
      status: 409,
      requestId: "r-7",
      errors: [{ path: ["a"], message: "b" }],
      message: "Full.",
    });
    // @ts-expect-error: no join answers this code.
    expect(code === "CLOUD_GAME_NOT_FOUND").toBe(false);
  }
});

test("[SK3] an answer of a proxy is UNKNOWN, and none at all is NO_ANSWER with the endpoint and what to check", async () => {
  const proxy = scripted(new Response("<html>", { status: 404 }));
  await expect(proxy.foyer.regions.list()).rejects.toMatchObject({ code: "UNKNOWN", status: 404 });
  const nobody = createFoyer({ endpoint: "http://127.0.0.1:1", retry: { retries: 0 } });
  await expect(nobody.regions.list()).rejects.toMatchObject({
    code: "NO_ANSWER",
    message: /^http:\/\/127\.0\.0\.1:1 does not answer: .*Is Foyer running there/,
  });
});

test("[SK6] for the compiler ports that have a url have one: `default`, or those that the game names", () => {
  const compiled = [
    async () => new URL((await createMatchmaker().find("duel")).ports.default.url),
    async () => new URL((await createMatchmaker<"game" | "page">().find("duel")).ports.page.url),
    // @ts-expect-error: the port may be of protocol udp.
    async () => new URL((await createMatchmaker().find("duel")).ports.voice?.url),
  ];
  expect(compiled).toHaveLength(3);
});

test("[SK3] a wrong field, a missing one and a wrong parameter do not compile", () => {
  const { foyer } = scripted();
  const wrong = [
    // @ts-expect-error
    () => foyer.lobbies.find({ game_mode: "duel" }),
    // @ts-expect-error
    () => foyer.lobbies.setClosed({}),
    // @ts-expect-error
    () => foyer.games.namespaces.validateGameNamespace({ display_name: "A", name_id: "a" }),
  ];
  expect(wrong).toHaveLength(3);
});
