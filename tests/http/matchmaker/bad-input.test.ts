import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../../src/contract/errors.ts";
import {
  type Arena,
  address,
  config,
  createArena,
  type LobbyAtHand,
  type Matchmaker,
  startMatchmaker,
} from "../../support/arena.ts";
import { expectRefusal, pathsOf } from "../../support/expectations.ts";
import { badJson } from "../bad-values.ts";

/** Whatever is wrong with a request to the matchmaker, it gets its one right answer, and nothing has changed. */
let matchmaker: Matchmaker;
let arena: Arena;
let lobby: LobbyAtHand;
let before: unknown;

async function everything(): Promise<unknown> {
  const lobbies = await arena.lobbies("?include_stopped=true");
  return {
    lobbies: await Promise.all(lobbies.map(({ lobby_id }) => arena.lobby(lobby_id, "").seen())),
    statistics: (await arena.play("GET", "players/statistics")).json,
    starts: matchmaker.runtime.starts.length,
  };
}

type Json = Record<string, unknown>;
type Bad = [title: string, change: Json, paths: string[][]];

const uint32s = [-1, 1.5, 4_294_967_296, "5", true, [], {}];
const sizes: Bad[] = uint32s.map((value) => [
  `max_players ${JSON.stringify(value)}`,
  { max_players: value },
  [["max_players"]],
]);
const parties: Bad[] = [0, 65, -1, 1.5, "1", true, []].map((value) => [
  `party_size ${JSON.stringify(value)}`,
  { party_size: value },
  [["party_size"]],
]);
const tags: Bad[] = [
  ["tags that are a list", { tags: ["a"] }, [["tags"]]],
  ["tags that are text", { tags: "a" }, [["tags"]]],
  ["a tag that is a number", { tags: { a: 1 } }, [["tags", "a"]]],
  ["a tag that is null", { tags: { a: null } }, [["tags", "a"]]],
];
const publicities: Bad[] = ["PUBLIC", "", "secret", 1, true].map((value) => [
  `publicity ${JSON.stringify(value)}`,
  { publicity: value },
  [["publicity"]],
]);
const unknown: Bad[] = [
  ["an unknown field", { extra: 1 }, [["extra"]]],
  ["fields in camel case", { partySize: 1, gameMode: "duel" }, [["partySize"], ["gameMode"]]],
  ["constructor", { constructor: 1 }, [["constructor"]]],
];
const texts = (field: string): Bad[] =>
  [null, 1, true, [], {}].map((value) => [`${field} ${JSON.stringify(value)}`, { [field]: value }, [[field]]]);
const uuids = (field: string): Bad[] =>
  ["", "x", "not-a-uuid", `{${randomUUID()}}`, `${randomUUID()}0`, `urn:uuid:${randomUUID()}`].map((value) => [
    `${field} ${JSON.stringify(value)}`,
    { [field]: value },
    [[field]],
  ]);
const flags = (field: string, values: unknown[] = ["true", 1, 0, "", [], {}]): Bad[] =>
  values.map((value) => [`${field} ${JSON.stringify(value)}`, { [field]: value }, [[field]]]);

const port = address.default;

/** Each operation with a body that would succeed, and what is wrong with it otherwise. */
const operations: Record<
  string,
  { method: string; path: string; token: () => string; good: () => Json; bad: Bad[]; required: string[] }
> = {
  find: {
    method: "POST",
    path: "/matchmaker/lobbies/find",
    token: () => arena.pub,
    good: () => ({ game_modes: ["duel"] }),
    required: ["game_modes"],
    bad: [
      ...sizes,
      ...parties,
      ...tags,
      ...unknown,
      ...flags("prevent_auto_create_lobby"),
      ["game_modes that is text", { game_modes: "duel" }, [["game_modes"]]],
      ["game_modes that is null", { game_modes: null }, [["game_modes"]]],
      [
        "a mode that is a number",
        { game_modes: ["duel", 1, null] },
        [
          ["game_modes", "1"],
          ["game_modes", "2"],
        ],
      ],
      ["17 modes", { game_modes: Array(17).fill("duel") }, [["game_modes"]]],
      ["65 regions", { regions: Array(65).fill("local") }, [["regions"]]],
      ["a region that is a number", { regions: [1] }, [["regions", "0"]]],
      ["several issues", { party_size: 0, tags: 1, extra: 1 }, [["party_size"], ["tags"], ["extra"]]],
    ],
  },
  join: {
    method: "POST",
    path: "/matchmaker/lobbies/join",
    token: () => arena.pub,
    good: () => ({ lobby_id: lobby.lobbyId }),
    required: ["lobby_id"],
    bad: [...parties, ...unknown, ...texts("lobby_id"), ...uuids("lobby_id")],
  },
  "join by code": {
    method: "POST",
    path: "/matchmaker/lobbies/join",
    token: () => arena.pub,
    good: () => ({ code: "BCDFGH" }),
    required: [],
    bad: [
      ...[1, true, [], {}].map((value): Bad => [`code ${JSON.stringify(value)}`, { code: value }, [["code"]]]),
      ["a code of 33 characters", { code: "B".repeat(33) }, [["code"]]],
      ["a code and an id", { lobby_id: randomUUID() }, [["code"]]],
      ["neither a code nor an id", { code: null }, [["lobby_id"]]],
    ],
  },
  create: {
    method: "POST",
    path: "/matchmaker/lobbies/create",
    token: () => arena.pub,
    good: () => ({ game_mode: "match" }),
    required: ["game_mode"],
    bad: [...sizes, ...parties, ...tags, ...publicities, ...unknown.slice(0, 1), ...texts("game_mode")],
  },
  register: {
    method: "POST",
    path: "/matchmaker/lobbies/register",
    token: () => arena.server,
    good: () => ({ game_mode: "duel", region: "local", ports: address }),
    required: ["game_mode", "region", "ports"],
    bad: [
      ...sizes,
      ...tags,
      ...publicities,
      ...unknown.slice(0, 1),
      ...texts("region"),
      ...uuids("version_id"),
      ["ports that are a list", { ports: [port] }, [["ports"]]],
      [
        "a port without its number",
        { ports: { default: { hostname: "a.b", is_tls: true } } },
        [["ports", "default", "port"]],
      ],
      ["a port with more", { ports: { default: { ...port, host: "a" } } }, [["ports", "default", "host"]]],
      ["is_tls that is text", { ports: { default: { ...port, is_tls: "no" } } }, [["ports", "default", "is_tls"]]],
      ["an empty hostname", { ports: { default: { ...port, hostname: "" } } }, [["ports", "default", "hostname"]]],
    ],
  },
  setClosed: {
    method: "PUT",
    path: "/matchmaker/lobbies/closed",
    token: () => lobby.token,
    good: () => ({ is_closed: true }),
    required: ["is_closed"],
    bad: [...unknown.slice(0, 1), ...flags("is_closed", ["true", 1, 0, "", [], {}, null])],
  },
  connected: {
    method: "POST",
    path: "/matchmaker/players/connected",
    token: () => lobby.token,
    good: () => ({ player_token: "player_x" }),
    required: ["player_token"],
    bad: [
      ...unknown.slice(0, 1),
      ...texts("player_token"),
      ["an empty token", { player_token: "" }, [["player_token"]]],
      ["a token of 513 characters", { player_token: "x".repeat(513) }, [["player_token"]]],
    ],
  },
  heartbeat: {
    method: "POST",
    path: "/matchmaker/lobbies/heartbeat",
    token: () => lobby.token,
    good: () => ({ is_closed: true }),
    required: [],
    bad: [
      ...unknown.slice(0, 1),
      ...flags("is_closed"),
      ["player_ids that are text", { player_ids: "x" }, [["player_ids"]]],
      ["an invalid player id", { player_ids: [randomUUID(), "x"] }, [["player_ids", "1"]]],
    ],
  },
};

describe.each(["sqlite", "redis", "cluster"] as const)("on %s", (kind) => {
  beforeAll(async () => {
    matchmaker = await startMatchmaker(kind);
    arena = await createArena(matchmaker.service, config());
    lobby = await arena.ready({ tags: { map: "ice" } });
    await arena.join(lobby.lobbyId);
    before = await everything();
  });
  afterAll(() => matchmaker?.service.close());

  describe.each(Object.keys(operations))("%s", (name) => {
    const { method, path, token, good, bad, required } = operations[name]!;
    const send = (rawBody: string | Buffer, headers: Record<string, string | null> = {}, as = token()) =>
      matchmaker.service.request(method, path, { token: as, rawBody, headers });
    const refused = async (rawBody: string | Buffer, code: ErrorCode) => expectRefusal(await send(rawBody), code);

    test("what is no JSON", async () => {
      for (const [, body] of badJson(JSON.stringify(good()))) await refused(body, "API_BAD_BODY");
    });

    test.each(bad)("%s", async (_title, change, paths) => {
      const answer = await send(JSON.stringify({ ...good(), ...change }));
      expectRefusal(answer, "API_BAD_BODY");
      expect(pathsOf(answer.json.errors).sort()).toEqual([...paths].sort());
    });

    test("missing fields, and what is no object", async () => {
      for (const field of required) {
        const { [field]: _, ...rest } = good();
        const answer = await send(JSON.stringify(rest));
        expectRefusal(answer, "API_BAD_BODY", [[field]]);
      }
      for (const body of ["null", "[]", '"x"', "5", "true"]) await refused(body, "API_BAD_BODY");
      // Where no field is needed, neither is a body.
      if (required.length === 0) return;
      expectRefusal(await matchmaker.service.request(method, path, { token: token() }), "API_BAD_BODY");
    });

    test("content types, sizes, queries and tokens", async () => {
      const text = JSON.stringify(good());
      for (const type of ["text/plain", "application/json; charset=latin1", null]) {
        expectRefusal(await send(text, { "content-type": type }), "API_UNSUPPORTED_MEDIA_TYPE");
      }
      const limit = name === "heartbeat" ? 1024 * 1024 : 64 * 1024;
      await refused(text + " ".repeat(limit), "API_BODY_TOO_LARGE");
      const query = { token: token(), rawBody: text };
      expectRefusal(await matchmaker.service.request(method, `${path}?a=1`, query), "API_BAD_QUERY", [["a"]]);
      const usual = token();
      for (const garbled of [usual.slice(0, -1), `${usual}A`, usual.replace(/_.{4}/, "_AAAA"), "x"]) {
        expectRefusal(await send(text, {}, garbled), "TOKEN_INVALID");
      }
      expectRefusal(await matchmaker.service.request(method, path, { rawBody: text }), "TOKEN_MISSING");
    });

    test("after all of it nothing has changed", async () => {
      expect(await everything()).toEqual(before);
    });
  });
});
