import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Arena, config, createArena, lobbyIdOf, type Matchmaker, startMatchmaker } from "../support/arena.ts";
import { aUuid, expectAnswer, expectRefusal } from "../support/expectations.ts";
import { type Answer, createToken, developmentServer, type Service } from "../support/harness.ts";

const lobbyCreationBudget = 2;
let matchmaker: Matchmaker;
let service: Service;
let arena: Arena;

beforeAll(async () => {
  matchmaker = await startMatchmaker("sqlite", { lobbyCreationBudget });
  service = matchmaker.service;
  const { runtime } = matchmaker;
  runtime.onceStarted = ({ env }) => service.request("POST", "/matchmaker/lobbies/ready", { token: env.FOYER_TOKEN! });
});
afterAll(() => service?.close());

/** What the operator sees of lobbies and what players see of seats: a dry run must leave it as it was. */
async function everything() {
  return { lobbies: await arena.lobbies(), statistics: (await arena.play("GET", "players/statistics")).json };
}

const candidate = (lobbyId: string, codes: string[], more: object = {}) => ({
  lobby_id: lobbyId,
  game_mode_id: "duel",
  region_id: "local",
  codes,
  message: expect.stringMatching(/\.$/),
  ...more,
});
const codesOf = (explain: { candidates: { lobby_id: string; codes: string[] }[] }) =>
  explain.candidates.map(({ lobby_id, codes }) => [lobby_id, ...codes]);

describe("explain", () => {
  beforeAll(async () => {
    arena = await createArena(service);
  });

  test("[X9] a find says why it chose and why not, in codes and words", async () => {
    const [chosen, closed, other] = [await arena.ready(), await arena.ready(), await arena.ready()];
    await closed.setClosed(true);
    const answer = await arena.find({ explain: true });
    const { explain, ...join } = answer.json;
    expectAnswer(answer, { ...join, explain });
    expect(lobbyIdOf(answer)).toBe(chosen.lobbyId);
    expect(explain).toEqual({
      summary: `Lobby ${chosen.lobbyId} is the best fit in duel in local.`,
      candidates: [
        candidate(chosen.lobbyId, ["chosen"]),
        candidate(other.lobbyId, [matchmakerTie(chosen, other)]),
        candidate(closed.lobbyId, ["closed"]),
      ],
      has_more: false,
      private_count: 0,
    });
    expect((await arena.find({ explain: false })).json).not.toHaveProperty("explain");
  });

  /** The clock of the test stands still, so that lobbies made one after the other are equally old. */
  function matchmakerTie(a: { lobbyId: string }, b: { lobbyId: string }) {
    expect(a.lobbyId < b.lobbyId).toBe(true);
    return "larger_id";
  }

  test("[X9] a refusal has the explanation in its metadata, with the reason in words", async () => {
    arena = await createArena(service);
    const lobby = await arena.ready({ tags: { map: "ice" } });
    await arena.ready({ publicity: "private" });
    const answer = await arena.find({ tags: { map: "lava" }, party_size: 2, explain: true });
    expectRefusal(answer, "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(answer.json.metadata).toEqual({
      explain: {
        summary: "No lobby fits, and lobbies of these game modes are not started by Foyer.",
        candidates: [
          candidate(lobby.lobbyId, ["missing_tags"], {
            message: 'It does not have the wanted value of the tag "map".',
          }),
        ],
        has_more: false,
        private_count: 1,
      },
    });
    expect((await arena.find({ tags: { map: "lava" } })).json).not.toHaveProperty("metadata");
  });

  test("[X9] the summary says why nothing was created", async () => {
    arena = await createArena(service);
    const summaryOf = (answer: Answer) => answer.json.metadata.explain.summary;
    const prevented = await arena.find({ game_modes: ["match"], prevent_auto_create_lobby: true, explain: true });
    expectRefusal(prevented, "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(summaryOf(prevented)).toContain("prevent_auto_create_lobby");
    const large = await arena.find({ game_modes: ["match"], party_size: 3, explain: true });
    expectRefusal(large, "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(summaryOf(large)).toContain("larger than a new lobby");
    await arena.limit({ lobby_count_max: 0 });
    const many = await arena.find({ game_modes: ["match"], explain: true });
    expectRefusal(many, "MATCHMAKER_TOO_MANY_LOBBIES");
    expect(summaryOf(many)).toContain("lobby_count_max");
    await arena.limit({ max_players_per_client: 0 });
    const client = await arena.find({ explain: true });
    expectRefusal(client, "MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE");
    expect(summaryOf(client)).toContain("max_players_per_client");
    const unknown = await arena.find({ game_modes: ["chess"], explain: true });
    expectRefusal(unknown, "MATCHMAKER_GAME_MODE_NOT_FOUND");
    expect(unknown.json).not.toHaveProperty("metadata");
  });

  test("[X7] a find that creates says so; a retry by key says that it is one", async () => {
    arena = await createArena(service);
    const client = "198.51.100.1";
    const body = { game_modes: ["match"], explain: true };
    const first = await arena.find(body, { key: "k", client });
    expect(first.json.explain).toEqual({
      summary: "No existing lobby fits, so a new one is created in match in local.",
      candidates: [],
      has_more: false,
      private_count: 0,
    });
    const again = await arena.find(body, { key: "k", client });
    expect(lobbyIdOf(again)).toBe(lobbyIdOf(first));
    expect(again.json.explain.summary).toContain("Idempotency-Key");
  });
});

describe("dry_run", () => {
  beforeAll(async () => {
    arena = await createArena(service);
  });

  test("[X8] it answers where find would lead and changes nothing", async () => {
    const lobby = await arena.ready();
    const before = await everything();
    const there = { lobby_id: lobby.lobbyId, region: { region_id: "local", display_name: "Local" } };
    expectAnswer(await arena.find({ dry_run: true }), { lobby: there, would_create: false });
    const explained = await arena.find({ dry_run: true, explain: true });
    expectAnswer(explained, { lobby: there, would_create: false, explain: expect.any(Object) });
    expect(codesOf(explained.json.explain)).toEqual([[lobby.lobbyId, "chosen"]]);
    expectAnswer(await arena.find({ game_modes: ["match"], dry_run: true }), { lobby: null, would_create: true });
    const creating = await arena.find({ game_modes: ["match", "duel"], dry_run: true, explain: true });
    expect(codesOf(creating.json.explain)).toEqual([[lobby.lobbyId, "chosen"]]);
    expect(await everything()).toEqual(before);
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
  });

  test("[X8] it has the refusals of a find", async () => {
    const dry = { dry_run: true };
    const match = { game_modes: ["match"], ...dry };
    const refusals = [
      [{ game_modes: [], ...dry }, "MATCHMAKER_NO_GAME_MODE_PROVIDED"],
      [{ game_modes: ["chess"], ...dry }, "MATCHMAKER_GAME_MODE_NOT_FOUND"],
      [{ regions: ["nowhere"], ...dry }, "MATCHMAKER_REGION_NOT_FOUND"],
      [{ tags: { map: "lava" }, ...dry }, "MATCHMAKER_NO_AVAILABLE_LOBBIES"],
      [{ ...match, party_size: 3 }, "MATCHMAKER_NO_AVAILABLE_LOBBIES"],
      [{ ...match, prevent_auto_create_lobby: true }, "MATCHMAKER_NO_AVAILABLE_LOBBIES"],
      [{ ...match, max_players: 2 }, "MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED"],
      [{ dry_run: "yes" }, "API_BAD_BODY"],
      [{ explain: 1 }, "API_BAD_BODY"],
    ] as const;
    for (const [body, code] of refusals) expectRefusal(await arena.find(body), code);
    expectRefusal(await arena.find(dry, { key: "two words" }), "API_BAD_HEADER");
    await arena.limit({ lobby_count_max: 0 });
    const full = await arena.find({ ...match, explain: true });
    expectRefusal(full, "MATCHMAKER_TOO_MANY_LOBBIES");
    expect(full.json.metadata.explain.candidates).toEqual([]);
    await arena.limit({});
  });

  test("[X8] it ignores an Idempotency-Key and stores none", async () => {
    const options = { key: "mine", client: "198.51.100.2" };
    const find = () => arena.find({ game_modes: ["match"] }, options);
    expectAnswer(await arena.find({ game_modes: ["match"], dry_run: true }, options), {
      lobby: null,
      would_create: true,
    });
    const first = await find();
    const dry = await arena.find({ game_modes: ["match"], dry_run: true }, options);
    expect(dry.json).toMatchObject({ lobby: { lobby_id: lobbyIdOf(first) }, would_create: false });
    expect((await find()).json.players).toEqual(first.json.players);
  });

  test("[X8] it honours the budget of new lobbies without spending it", async () => {
    arena = await createArena(service, config({ max_players: 1 }));
    const options = { client: "198.51.100.3" };
    const body = { game_modes: ["match"] };
    for (let i = 0; i < lobbyCreationBudget; i++) {
      for (let j = 0; j < 3; j++) expect((await arena.find({ ...body, dry_run: true }, options)).status).toBe(200);
      expect((await arena.find(body, options)).status).toBe(200);
    }
    const dry = await arena.find({ ...body, dry_run: true, explain: true }, options);
    expectRefusal(dry, "API_RATE_LIMIT");
    expect(Number(dry.headers["retry-after"])).toBeGreaterThan(0);
    expect(dry.json.metadata.explain.summary).toContain("as many new lobbies");
    expectRefusal(await arena.find(body, options), "API_RATE_LIMIT");
  });

  test("it follows a deploy and shows only its namespace", async () => {
    arena = await createArena(service);
    const lobby = await arena.ready();
    await arena.deploy(config());
    const answer = await arena.find({ dry_run: true, explain: true });
    expectRefusal(answer, "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(codesOf(answer.json.metadata.explain)).toEqual([[lobby.lobbyId, "other_version"]]);
    const neighbour = await createArena(service);
    const foreign = await neighbour.find({ dry_run: true, explain: true });
    expectRefusal(foreign, "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect(foreign.json.metadata.explain).toMatchObject({ candidates: [], private_count: 0 });
  });
});

describe("development tokens", () => {
  const nil = "00000000-0000-0000-0000-000000000000";

  test("explain and dry_run are mocked like the rest", async () => {
    arena = await createArena(service);
    const { token } = await createToken(service, arena.namespace, "dev");
    const there = { lobby_id: nil, region: { region_id: "dev-local", display_name: "Local" } };
    expectAnswer(await arena.find({ dry_run: true }, { token }), { lobby: there, would_create: false });
    const explained = await arena.find({ explain: true }, { token });
    expect(explained.json).toMatchObject({
      lobby: there,
      ports: { default: { hostname: developmentServer.hostname } },
      players: [{ player_id: aUuid }],
      explain: {
        candidates: [candidate(nil, ["chosen"], { region_id: "dev-local" })],
        has_more: false,
        private_count: 0,
      },
    });
    const both = await arena.find({ dry_run: true, explain: true }, { token });
    expect(Object.keys(both.json).sort()).toEqual(["explain", "lobby", "would_create"]);
    expectRefusal(await arena.find({ game_modes: [], dry_run: true }, { token }), "MATCHMAKER_NO_GAME_MODE_PROVIDED");
  });
});
