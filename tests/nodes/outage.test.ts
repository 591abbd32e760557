import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Arena, createArena } from "../support/arena.ts";
import { createToken, type Service, until } from "../support/harness.ts";
import { createDatabase, type PostgresServer, startPostgres } from "../support/services/postgres.ts";
import { install } from "./installation.ts";

let postgres: PostgresServer;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

const version = (displayName = "Around the Corner") => ({
  regions: { local: { display_name: displayName } },
  game_modes: { duel: { max_players: 100, timeouts: { heartbeat_s: 0 }, runtime: { external: {} } } },
});

/** Two nodes on a PostgreSQL that the test may halt, and two games with a ready lobby each. */
async function open() {
  databases += 1;
  const databaseUrl = await createDatabase(postgres.url, `outage_${databases}`);
  const installation = await install();
  const start = (nodeId: string) => installation.start(nodeId, { databaseUrl });
  const [here, there] = [await start("here"), await start("there")];
  const arenas = [await createArena(here, version()), await createArena(here, version())] as const;
  for (const arena of arenas) await arena.ready();
  return { here, there, arenas, start, databaseUrl };
}

function find(node: Service, arena: Arena, token = arena.pub) {
  return node.request("POST", "/matchmaker/lobbies/find", { token, body: { game_modes: ["duel"] } });
}

async function statuses(nodes: readonly Service[], arenas: readonly Arena[]): Promise<number[]> {
  const answers = await Promise.all(nodes.flatMap((node) => arenas.map((arena) => find(node, arena))));
  return answers.map(({ status }) => status);
}

async function query(url: string, text: string, values: readonly string[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(text, [...values]).finally(() => client.end());
}

/** Stops PostgreSQL while the work is done, and starts it when the test continues or fails. */
async function withoutPostgres(nodes: readonly Service[], work: () => Promise<void>): Promise<void> {
  // The servers of the tests do not wait for the disk, and would forget the last moments.
  await query(postgres.url, "checkpoint");
  await postgres.halt();
  try {
    await work();
  } finally {
    await postgres.resume();
  }
  for (const node of nodes) await until(async () => (await node.request("GET", "/readyz")).status === 200);
}

const limits = { lobby_count_max: 7, max_players: 100 };

test("[RF25] [RF17] changes that fail while PostgreSQL is unavailable stop no finds, on any node; afterwards they succeed", {
  timeout: 120_000,
}, async () => {
  const { here, there, arenas } = await open();
  const [mine, other] = arenas;
  expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
  const change = (node: Service) =>
    node.request("POST", `${mine.namespace.path}/mm-config`, { token: node.adminToken, body: limits });
  await withoutPostgres([here, there], async () => {
    for (let round = 0; round < 3; round++) {
      expect((await change(here)).status).toBe(503);
      expect((await change(there)).status).toBe(503);
      const deletion = `${other.namespace.path}?force=true`;
      expect((await here.request("DELETE", deletion, { token: here.adminToken })).status).toBe(503);
      expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
    }
  });
  expect((await change(here)).status).toBe(204);
  const seen = await there.admin("GET", mine.namespace.path);
  expect(seen.namespace.matchmaker.lobby_count_max).toBe(7);
  expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
});

/** A revocation waits in its commit for as long as the lock is held. */
const slowCommits = `
  create function wait_for_lock() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return null; end $$;
  create constraint trigger slow_commit after update of revoke_ts on tokens
    deferrable initially deferred for each row execute function wait_for_lock();
`;

test("[RF25] after a change with an unknown outcome cached data is used while PostgreSQL is unavailable, and then read again", {
  timeout: 120_000,
}, async () => {
  const { here, there, arenas, databaseUrl } = await open();
  const [mine] = arenas;
  const doomed = await createToken(here, mine.namespace, "pub");
  expect((await find(there, mine, doomed.token)).status).toBe(200);
  expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
  const holder = new pg.Client({ connectionString: databaseUrl });
  holder.on("error", () => {});
  await holder.connect();
  await holder.query(slowCommits);
  await holder.query("select pg_advisory_lock(1)");
  const path = `${mine.namespace.path}/tokens/${doomed.token_id}`;
  const revoking = here.request("DELETE", path, { token: here.adminToken });
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'commit%'";
  await until(async () => (await query(databaseUrl, waiting)).rowCount === 1);

  await withoutPostgres([here, there], async () => {
    expect((await revoking).status).toBe(503);
    for (let round = 0; round < 3; round++) {
      expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
      expect((await find(there, mine, doomed.token)).status).toBe(200);
    }
  });
  // As if it had been made after all.
  const revoke = "update tokens set revoke_ts = 1 where token_id = $1";
  expect((await query(databaseUrl, revoke, [doomed.token_id])).rowCount).toBe(1);
  for (const node of [here, there]) {
    await until(async () => (await find(node, mine, doomed.token)).json.code === "TOKEN_REVOKED");
  }
});

test("[RF26] a node that started after a deployment joins players to lobbies of the version before while PostgreSQL is away", {
  timeout: 120_000,
}, async () => {
  const { here, arenas, start } = await open();
  const [arena] = arenas;
  const old = await arena.ready();
  await arena.deploy(version("The Other Corner"));
  const late = await start("late");
  const made = await createToken(here, arena.namespace, "pub");
  const join = (token: string) =>
    late.request("POST", "/matchmaker/lobbies/join", { token, body: { lobby_id: old.lobbyId } });
  // The late node reads ahead by itself, and is asked only while it cannot read.
  await until(async () => {
    const answers: unknown[] = [];
    await withoutPostgres([here, late], async () => {
      for (const token of [arena.pub, made.token]) {
        const { status, json } = await join(token);
        answers.push(status, json.lobby?.region.display_name);
      }
    });
    return answers.join() === "200,Around the Corner,200,Around the Corner";
  });
});

test("[RF26] a version that cannot be read costs a player the region's name, not the seat", {
  timeout: 120_000,
}, async () => {
  const { here, arenas, start } = await open();
  const [arena] = arenas;
  const old = await arena.ready();
  for (let round = 0; round < 21; round++) await arena.deploy(version(`Corner ${round}`));
  const late = await start("late");
  const namesAnswered = new Set<string>();
  await until(async () => {
    await withoutPostgres([here, late], async () => {
      const body = { lobby_id: old.lobbyId };
      const answer = await late.request("POST", "/matchmaker/lobbies/join", { token: arena.pub, body });
      // Until the node has read the token ahead of need it cannot know who asks, and takes no seat.
      if (answer.status !== 503) namesAnswered.add(`${answer.status} ${answer.json.lobby.region.display_name}`);
    });
    return namesAnswered.size > 0;
  });
  expect([...namesAnswered]).toEqual(["200 local"]);
  expect((await old.seen()).total_player_count).toBe(1);
});

test("[RF27] a change in one game keeps cached data of others: their finds continue when PostgreSQL stops right after", {
  timeout: 120_000,
}, async () => {
  const { here, there, arenas } = await open();
  const [mine, other] = arenas;
  expect(await statuses([here, there], arenas)).toEqual([200, 200, 200, 200]);
  await here.admin("POST", `${mine.namespace.path}/mm-config`, limits);
  const { token_id, token } = await createToken(here, mine.namespace, "pub");
  expect((await find(there, mine, token)).status).toBe(200);
  await here.admin("DELETE", `${mine.namespace.path}/tokens/${token_id}`);
  await withoutPostgres([here, there], async () => {
    expect(await statuses([here, there], [other])).toEqual([200, 200]);
    // It was revoked, and an unavailable store does not make it valid.
    for (const node of [here, there]) expect([401, 503]).toContain((await find(node, mine, token)).status);
  });
});
