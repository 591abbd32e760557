import { copyFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { findGame } from "../../src/store/games.ts";
import { openDb } from "../../src/store/open-db.ts";
import { insertVersion } from "../../src/store/versions.ts";
import { freshDatabase, storeKinds } from "../support/services/stores.ts";
import { atOnce, folder, open, storedGame, version } from "./fixtures.ts";

describe.each(storeKinds)("opening %s", (kind) => {
  test("what was stored is there after closing and opening again; closing twice is fine", async () => {
    const options = { ...(await freshDatabase(kind)), dataDir: await folder() };
    const first = await openDb(options);
    const made = await storedGame(first);
    await first.close();
    await first.close();

    const second = await open(options);

    expect(second.engine).toBe(kind);
    await second.ping();
    expect(await findGame(second, made.gameId)).toEqual(made);
  });

  test("[O7] a database of a newer Foyer is refused with the way out, and stays as it was", async () => {
    const options = { ...(await freshDatabase(kind)), dataDir: await folder() };
    const older = await open(options);
    const made = await storedGame(older);
    const record = sql`insert into foyer_migration (name, timestamp) values ('9999-future', '2999-01-01T00:00:00.000Z')`;
    await record.execute(older.query);

    await expect(openDb(options)).rejects.toThrow(/newer Foyer.*"9999-future".*restore a backup/);

    expect(await findGame(older, made.gameId)).toEqual(made);
  });

  test("every foreign key and list is served by an index", async () => {
    const db = await open({ ...(await freshDatabase(kind)), dataDir: await folder() });
    const names =
      kind === "sqlite"
        ? sql<{
            name: string;
          }>`select name from sqlite_master where type = 'index' and name like '%\\_by\\_%' escape '\\'`
        : sql<{ name: string }>`select indexname as name from pg_indexes where indexname like '%\\_by\\_%'`;

    const { rows } = await names.execute(db.query);

    expect(rows.map(({ name }) => name).sort()).toEqual([
      "audit_by_game",
      "audit_by_operation",
      "audit_by_time",
      "audit_by_token",
      "blocks_by_end",
      "build_uses_by_build",
      "deployments_by_namespace",
      "deployments_by_time",
      "deployments_by_version",
      "domains_by_namespace",
      "lobby_history_by_namespace",
      "lobby_history_by_time",
      "lobby_history_by_version",
      "namespaces_by_version",
      "tokens_by_expiry",
      "tokens_by_owner",
      "tokens_by_revocation",
      "versions_by_deletion",
    ]);
  });
});

describe("opening postgresql", () => {
  test("four nodes that start at once on an empty database all start, and each migration ran once", async () => {
    const options = { ...(await freshDatabase("postgresql")), dataDir: await folder() };

    const nodes = await atOnce(4, () => open(options));

    const made = await storedGame(nodes[0]!);
    for (const node of nodes) expect(await findGame(node, made.gameId)).toEqual(made);
    const { rows } = await sql<{ name: string }>`select name from foyer_migration`.execute(nodes[3]!.query);
    const names = ["0001-control-plane", "0002-lobby-history", "0003-blocks", "0004-audit", "0005-retention"].concat([
      "0006-version-defaults",
      "0008-version-images",
      "0009-builds",
      "0010-rolled-back",
      "0011-sessions",
      "0012-deleting",
    ]);
    expect(rows).toEqual(names.map((name) => ({ name })));
  });

  test("numbers are read as numbers, while other users of pg in the process keep their own parsers", async () => {
    const { databaseUrl } = await freshDatabase("postgresql");
    const db = await open({ databaseUrl, dataDir: await folder() });
    const client = new pg.Client({ connectionString: databaseUrl ?? "" });
    await client.connect();

    const theirs = await client.query("select 5::bigint as big");
    const ours = await sql`select 5::bigint as big`.execute(db.query);
    await client.end();

    expect(theirs.rows).toEqual([{ big: "5" }]);
    expect(ours.rows).toEqual([{ big: 5 }]);
  });

  test("another kind of address is refused without repeating it", async () => {
    const opening = openDb({ databaseUrl: "mysql://root:secret@localhost/x", dataDir: await folder() });

    await expect(opening).rejects.toThrow("must begin with postgres:// or postgresql://");
    await expect(opening).rejects.not.toThrow("secret");
  });
});

describe("opening sqlite", () => {
  test("[O10] the file and its companions are for the owner only", async () => {
    const dataDir = join(await folder(), "new", "folder");
    await open({ databaseUrl: null, dataDir });

    for (const name of ["foyer.db", "foyer.db-wal", "foyer.db-shm"]) {
      expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  test("[O13] the settings that durability and integrity rest on are in force", async () => {
    const db = await open({ databaseUrl: null, dataDir: await folder() });
    const setting = async (name: string) => {
      const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(db.query);
      return Object.values(rows[0] ?? {})[0];
    };

    expect(await setting("journal_mode")).toBe("wal");
    expect(await setting("synchronous")).toBe(2);
    expect(await setting("foreign_keys")).toBe(1);
    expect(await setting("busy_timeout")).toBe(5000);
  });

  test("[O7] a file that is no database is refused by name and left alone", async () => {
    const dataDir = await folder();
    const file = join(dataDir, "foyer.db");
    await writeFile(file, "not a database, but long enough to look like one. ".repeat(100));
    const before = await readFile(file);

    await expect(openDb({ databaseUrl: null, dataDir })).rejects.toThrow(`The database file ${file} is damaged`);

    expect(await readFile(file)).toEqual(before);
  });

  test("after closing the one file holds everything", async () => {
    const dataDir = await folder();
    const db = await openDb({ databaseUrl: null, dataDir });
    const made = await storedGame(db);
    await findGame(db, made.gameId);
    await db.close();

    const elsewhere = await folder();
    await copyFile(join(dataDir, "foyer.db"), join(elsewhere, "foyer.db"));

    const copy = await open({ databaseUrl: null, dataDir: elsewhere });
    expect(await findGame(copy, made.gameId)).toEqual(made);
  });

  test("[O7] a file with an overwritten page or a lost end is refused by name", async () => {
    const dataDir = await folder();
    const file = join(dataDir, "foyer.db");
    const db = await openDb({ databaseUrl: null, dataDir });
    const { gameId } = await storedGame(db);
    for (let count = 0; count < 20; count++) {
      await insertVersion(db, version({ gameId, config: JSON.stringify("x".repeat(20_000)) }));
    }
    await db.close();
    const whole = await readFile(file);

    const overwritten = Buffer.from(whole);
    overwritten.fill(0xa5, 4096, 8192);
    await writeFile(file, overwritten);
    await expect(openDb({ databaseUrl: null, dataDir })).rejects.toThrow(`The database file ${file} is damaged`);

    await writeFile(file, whole);
    await truncate(file, whole.length - 16 * 4096);
    await expect(openDb({ databaseUrl: null, dataDir })).rejects.toThrow(`The database file ${file} is damaged`);

    await writeFile(file, whole);
    await open({ databaseUrl: null, dataDir });
  });

  test("a data folder that cannot be is named", async () => {
    const inTheWay = join(await folder(), "file");
    await writeFile(inTheWay, "");

    const opening = openDb({ databaseUrl: null, dataDir: inTheWay });

    await expect(opening).rejects.toThrow(`Cannot open the database file ${join(inTheWay, "foyer.db")}`);
  });
});
