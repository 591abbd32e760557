import { sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/ground/unavailable.ts";
import type { Db } from "../../src/store/db.ts";
import { addDomain, listDomains } from "../../src/store/domains.ts";
import { isForeignKeyViolation, toStoreError } from "../../src/store/errors.ts";
import { findGame, insertGame } from "../../src/store/games.ts";
import { namespaceNameExists } from "../../src/store/namespaces.ts";
import { openDb } from "../../src/store/open-db.ts";
import { insertVersion } from "../../src/store/versions.ts";
import { startPostgres } from "../support/services/postgres.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { atOnce, folder, game, newId, now, open, storedGame, storedNamespace, version } from "./fixtures.ts";

/** A store and a second connection that can end those of the store. */
async function withExecutioner() {
  const { databaseUrl } = await freshDatabase("postgresql");
  const db = await open({ databaseUrl, dataDir: await folder() });
  const call = async (statement: string) => {
    const client = new pg.Client({ connectionString: databaseUrl ?? "", application_name: "executioner" });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const others = "from pg_stat_activity where application_name = 'foyer' and datname = current_database()";
  return {
    db,
    call,
    terminate: () => call(`select pg_terminate_backend(pid) ${others}`),
    cancel: () => call(`select pg_cancel_backend(pid) ${others}`),
    /** Waits until so many statements of the store are running. */
    running: async (count: number) => {
      const busy = `select 1 ${others} and state = 'active' and query like '%pg_sleep%'`;
      while ((await call(busy)).length < count);
    },
  };
}

const sleep = (db: Db) => sql`select pg_sleep(60)`.execute(db.query);

describe("a lost postgresql", () => {
  test("statements whose connection is ended get StoreUnavailable, and the next ones work", async () => {
    const { db, terminate, running } = await withExecutioner();
    const made = await storedGame(db);
    const sleeping = Promise.allSettled([sleep(db), sleep(db), sleep(db)]);
    await running(3);

    await terminate();

    for (const result of await sleeping) expect(result).toMatchObject({ reason: expect.any(StoreUnavailable) });
    expect(await eventually(() => findGame(db, made.gameId))).toEqual(made);
    await eventually(() => db.ping());
  });

  test("a cancelled statement is StoreUnavailable too", async () => {
    const { db, cancel, running } = await withExecutioner();
    const sleeping = Promise.allSettled([sleep(db)]);
    await running(1);

    await cancel();

    expect(await sleeping).toMatchObject([{ reason: expect.any(StoreUnavailable) }]);
    await db.ping();
  });

  test("a transaction whose connection is ended leaves nothing, and its connection is not lent again", async () => {
    const { db, terminate } = await withExecutioner();
    const made = game();

    const transaction = db.query.transaction().execute(async (inside) => {
      const row = { game_id: made.gameId, name_id: made.nameId, display_name: "Lost", create_ts: now };
      await inside.insertInto("games").values(row).execute();
      await terminate();
      await inside.selectFrom("games").select("game_id").execute();
    });

    await expect(transaction).rejects.toBeInstanceOf(StoreUnavailable);
    await eventually(() => db.ping());
    expect(await eventually(() => findGame(db, made.gameId))).toBeNull();
    expect(await insertGame(db, made)).toBe("ok");
    expect(await findGame(db, made.gameId)).toEqual(made);
  });

  test("[T33] under traffic every answer is a success or StoreUnavailable, and what succeeded is there", async () => {
    const { db, terminate } = await withExecutioner();
    const { namespaceId } = await storedNamespace(db);
    const added: string[] = [];
    const unexpected: unknown[] = [];

    const traffic = atOnce(200, async (index) => {
      const domain = `d${index}.example.com`;
      try {
        if ((await addDomain(db, { namespaceId, domain, createTs: now, domainsMax: 1000 })) === "added")
          added.push(domain);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) unexpected.push(error);
      }
    });
    await terminate();
    await terminate();
    await traffic;

    expect(unexpected).toEqual([]);
    await eventually(() => db.ping());
    const stored = (await eventually(() => listDomains(db, namespaceId))).map(({ domain }) => domain);
    expect(stored).toEqual(expect.arrayContaining(added));
  });

  test("[T33] a server that is gone is StoreUnavailable for reads, writes and pings", async () => {
    const server = await startPostgres();
    const dataDir = await folder();
    const db = await open({ databaseUrl: server.url, dataDir });

    await server.stop();

    const calls = [() => db.ping(), () => namespaceNameExists(db, newId(), "prod"), () => insertGame(db, game())];
    for (const call of calls) {
      // The first may still meet a connection that the server closed.
      await expect(call()).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(call()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    await expect(openDb({ databaseUrl: server.url, dataDir })).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

describe("a full sqlite", () => {
  test("[T33] a write without disk space gets StoreUnavailable and leaves nothing; reads continue; later writes work", async () => {
    const db = await open({ databaseUrl: null, dataDir: await folder() });
    const made = await storedGame(db);
    const big = version({ gameId: made.gameId, config: JSON.stringify("x".repeat(200_000)) });
    await sql`pragma max_page_count = 40`.execute(db.query);

    await expect(insertVersion(db, big)).rejects.toBeInstanceOf(StoreUnavailable);
    const transaction = db.query.transaction().execute(async (inside) => {
      const { versionId: version_id, gameId: game_id, displayName: display_name, config } = big;
      await inside
        .insertInto("versions")
        .values({ version_id, game_id, display_name, config, create_ts: now })
        .execute();
    });
    await expect(transaction).rejects.toBeInstanceOf(StoreUnavailable);

    expect(await findGame(db, made.gameId)).toEqual(made);
    await sql`pragma max_page_count = 100000`.execute(db.query);
    expect(await insertVersion(db, big)).toBe("ok");
  });

  test("a read after closing is StoreUnavailable", async () => {
    const db = await open({ databaseUrl: null, dataDir: await folder() });
    await db.close();

    await expect(findGame(db, "duel")).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

describe("which errors mean: try again later", () => {
  const coded = (fields: object) => Object.assign(new Error("something"), fields);

  test.each([
    coded({ code: "57P03" }),
    coded({ code: "53300" }),
    coded({ code: "53100" }),
    coded({ code: "08006" }),
    coded({ code: "40P01" }),
    coded({ code: "25006" }),
    coded({ code: "ECONNREFUSED" }),
    coded({ code: "ENOENT", syscall: "connect" }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 5 }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 261 }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 13 }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 778 }),
    new Error("timeout exceeded when trying to connect"),
    new Error("Query read timeout"),
    new Error("Connection terminated unexpectedly"),
  ])("$code $errcode $message", (error) => {
    const fault = toStoreError(error);

    expect(fault).toBeInstanceOf(StoreUnavailable);
    expect(fault).toHaveProperty("cause", error);
  });

  test.each([
    coded({ code: "23505" }),
    coded({ code: "42P01" }),
    coded({ code: "28P01" }),
    coded({ code: "ENOENT", syscall: "open" }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 2067 }),
    coded({ code: "ERR_SQLITE_ERROR", errcode: 11 }),
    new StoreUnavailable("already"),
    new TypeError("x is not a function"),
    "text",
  ])("not %s", (error) => {
    expect(toStoreError(error)).toBe(error);
  });

  test("a violated reference is recognised on both, other violations are not", () => {
    expect(isForeignKeyViolation(coded({ code: "23503" }))).toBe(true);
    expect(isForeignKeyViolation(coded({ code: "ERR_SQLITE_ERROR", errcode: 787 }))).toBe(true);
    expect(isForeignKeyViolation(coded({ code: "23505" }))).toBe(false);
    expect(isForeignKeyViolation(coded({ code: "ERR_SQLITE_ERROR", errcode: 2067 }))).toBe(false);
  });
});

/** The pool may return a connection whose end it has not noticed; after those the store works again. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

test("[O30] a PostgreSQL that is read-only answers, but is not taken for writable", async () => {
  const { db, call, terminate } = await withExecutioner();
  await db.checkWritable();
  const [{ name }] = await call("select current_database() as name");
  await call(`alter database "${name}" set default_transaction_read_only = on`);
  await terminate();
  const refusals = async () =>
    db.checkWritable().then(
      () => null,
      (error: Error) => error.message,
    );
  while ((await refusals()) !== "PostgreSQL is read-only.");
  await call(`begin; set transaction read write; alter database "${name}" reset default_transaction_read_only; commit`);
  await terminate();
  while ((await refusals()) !== null);
});
