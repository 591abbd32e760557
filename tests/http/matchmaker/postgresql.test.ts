import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { config, createArena, lobbyIdOf, type Matchmaker, startMatchmaker, tokensOf } from "../../support/arena.ts";
import { expectEmpty, expectRefusal } from "../../support/expectations.ts";
import { until } from "../../support/harness.ts";
import { activityTests } from "./activity.suite.ts";
import { blocksTests } from "./blocks.suite.ts";
import { decisionsTests } from "./decisions.suite.ts";
import { isolationTests } from "./isolation.suite.ts";
import { limitsTests } from "./limits.suite.ts";
import { operatorsTests } from "./operators.suite.ts";
import { originsTests } from "./origins.suite.ts";
import { previewFindTests } from "./preview-find.suite.ts";
import { smallThingsTests } from "./small-things.suite.ts";
import { viewsTests } from "./views.suite.ts";
import { watchingTests } from "./watching.suite.ts";

/** Lobbies are in the node's own journal; what they are configured by is in PostgreSQL here. */
let matchmaker: Matchmaker;
const at = () => matchmaker;

beforeAll(async () => {
  matchmaker = await startMatchmaker("postgresql", { findWaitS: 3600 });
});
afterAll(() => matchmaker?.service.close());

describe("limits and keys", () => limitsTests(at));
describe("lists and the operator's view", () => viewsTests(at));
describe("watching the list", () => watchingTests(at));
describe("activity", () => activityTests(at));
describe("decisions", () => decisionsTests(at));
describe("previews of finds", () => previewFindTests(at));
describe("small things", () => smallThingsTests(at));
describe("blocks", () => blocksTests(at));
describe("operators", () => operatorsTests(at));
describe("origins", () => originsTests(at));
describe("isolation", () => isolationTests(at));

/** The database as if its server were down, for as long as `during` runs. */
async function withoutDatabase(databaseUrl: string, during: () => Promise<void>): Promise<void> {
  const { pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const elsewhere = new pg.Client({ connectionString: databaseUrl.replace(pathname, "/postgres") });
  await elsewhere.connect();
  try {
    await elsewhere.query(`alter database ${database} allow_connections false`);
    await elsewhere.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database]);
    await during();
  } finally {
    await elsewhere.query(`alter database ${database} allow_connections true`);
    await elsewhere.end();
  }
}

describe("one node on one database", () => {
  test("a second node on the same database refuses to start and says why, and the first continues", async () => {
    const { service } = matchmaker;
    const arena = await createArena(service, config());
    const lobby = await arena.ready();
    const { databaseUrl } = service;
    await expect(startMatchmaker("postgresql", { databaseUrl })).rejects.toThrow(
      /Another Foyer uses this PostgreSQL database/,
    );
    expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
    await arena.limit({ max_players: 1 });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
  });

  test("when the first has stopped, another takes over; lobbies do not come with the database", async () => {
    const first = await startMatchmaker("postgresql");
    const arena = await createArena(first.service, config());
    await arena.ready();
    await first.service.close();
    const { databaseUrl } = first.service;
    const next = await startMatchmaker("postgresql", { databaseUrl });
    const path = `${arena.namespace.path}/lobbies`;
    const token = next.service.adminToken;
    expect((await next.service.request("GET", path, { token })).json.lobbies).toEqual([]);
    await next.service.close();
  });
});

describe("a database that cannot be reached", () => {
  test("lobbies and their players continue; calls that need the database are 503 until it is back", async () => {
    const { service } = matchmaker;
    const arena = await createArena(service, config({ max_players: 50, max_players_direct: 50 }));
    const lobby = await arena.ready();
    const [token] = tokensOf(await arena.find()) as [string];
    const limits = { token: service.adminToken, body: { lobby_count_max: 1, max_players: 2 } };
    await withoutDatabase(service.databaseUrl!, async () => {
      expect((await lobby.connect(token)).status).toBe(200);
      expectEmpty(await lobby.setClosed(true));
      expectEmpty(await lobby.setClosed(false));
      expect((await lobby.heartbeat()).status).toBe(200);
      expectEmpty(await lobby.call("PUT", "lobbies/state", { a: 1 }));
      const answer = await service.request("POST", `${arena.namespace.path}/mm-config`, limits);
      expectRefusal(answer, "API_UNAVAILABLE");
    });
    await until(async () => (await service.request("GET", "/readyz")).status === 200);
    await until(async () => (await arena.find()).status === 200);
    await arena.limit({ max_players: 1 });
    expectRefusal(await arena.find(), "MATCHMAKER_NO_AVAILABLE_LOBBIES");
    expect((await lobby.seen()).connected_count).toBe(1);
  });

  test("[AU2] what could not be recorded is not done: no lobby is stopped", async () => {
    const { service } = matchmaker;
    const arena = await createArena(service, config());
    const lobby = await arena.ready();
    await lobby.seen();
    const path = `${arena.namespace.path}/lobbies/${lobby.lobbyId}`;
    await withoutDatabase(service.databaseUrl!, async () => {
      expectRefusal(await service.request("DELETE", path, { token: service.adminToken }), "API_UNAVAILABLE");
      expect((await lobby.heartbeat()).status).toBe(200);
    });
    await until(async () => (await service.request("GET", "/readyz")).status === 200);
    expect((await lobby.seen()).status).toBe("ready");
  });

  test("find does no SQL: it continues with cached data", async () => {
    const { service } = matchmaker;
    const arena = await createArena(service, config({ max_players: 50, max_players_direct: 50 }));
    const lobby = await arena.ready();
    await arena.find();
    await withoutDatabase(service.databaseUrl!, async () => {
      for (let count = 0; count < 5; count++) expect(lobbyIdOf(await arena.find())).toBe(lobby.lobbyId);
      expect(lobbyIdOf(await arena.join(lobby.lobbyId))).toBe(lobby.lobbyId);
    });
    await until(async () => (await service.request("GET", "/readyz")).status === 200);
    expect((await lobby.seen()).total_player_count).toBe(7);
  });
});
