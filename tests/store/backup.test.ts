import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { backupFile } from "../../src/store/backup.ts";
import { insertGame, listGames } from "../../src/store/games.ts";
import { listNamespaces } from "../../src/store/namespaces.ts";
import { openDb } from "../../src/store/open-db.ts";
import { emptyStore, folder, game, open, storedGame, storedNamespace } from "./fixtures.ts";

/** Opens the copy as a data folder would hold it. */
async function restored(file: string) {
  const dataDir = await folder();
  await copyFile(file, join(dataDir, "foyer.db"));
  return open({ databaseUrl: null, dataDir });
}

test("[O11] a backup made while others write is whole, holds all that was answered before, and opens as a store", async () => {
  const db = await open({ databaseUrl: null, dataDir: await folder() });
  const target = join(await folder(), "backup.db");
  const before: string[] = [];
  for (let count = 0; count < 50; count++) before.push((await storedNamespace(db)).gameId);

  let writing = true;
  const writer = (async () => {
    while (writing) {
      await storedNamespace(db);
      // SQLite answers without leaving the thread, so the loop has to let the copy have its turn.
      await setImmediate();
    }
  })();
  await db.backup(target);
  writing = false;
  await writer;

  const copy = await restored(target);
  const games = await listGames(copy, { after: null, limit: 100_000 });
  expect(games.map(({ gameId }) => gameId)).toEqual(expect.arrayContaining(before));
  for (const gameId of before) expect(await listNamespaces(copy, gameId, { after: null, limit: 2 })).toHaveLength(1);
});

test("[SG6] a backup has no hash of a code or session, not even in free pages; the store keeps its own", async () => {
  const db = await open({ databaseUrl: null, dataDir: await folder() });
  const target = join(await folder(), "backup.db");
  const times = { create_ts: 1, last_used_ts: 1 };
  await db.query.insertInto("sign_in_codes").values({ hash: "hash-of-code", admin: "mark", create_ts: 1 }).execute();
  await db.query
    .insertInto("sessions")
    .values({ session_id: "id", hash: "hash-of-session", admin: "mark", ...times })
    .execute();
  await db.backup(target);
  expect((await readFile(target)).toString("latin1")).not.toMatch(/hash-of-/);
  expect(await db.query.selectFrom("sessions").select("hash").execute()).toEqual([{ hash: "hash-of-session" }]);
});

test("[O11] the copy is for its owner only and nothing else is left beside it", async () => {
  const db = await open({ databaseUrl: null, dataDir: await folder() });
  const directory = await folder();

  await db.backup(join(directory, "backup.db"));

  expect(await readdir(directory)).toEqual(["backup.db"]);
  expect((await stat(join(directory, "backup.db"))).mode & 0o777).toBe(0o600);
});

test("[O11] an existing file is never replaced, not even an empty one", async () => {
  const db = await open({ databaseUrl: null, dataDir: await folder() });
  const directory = await folder();
  await writeFile(join(directory, "precious"), "data");
  await writeFile(join(directory, "empty"), "");

  for (const name of ["precious", "empty"]) {
    await expect(db.backup(join(directory, name))).rejects.toThrow("exists already");
  }

  expect(await readFile(join(directory, "precious"), "utf8")).toBe("data");
  expect((await readdir(directory)).sort()).toEqual(["empty", "precious"]);
});

test("a backup that cannot be made leaves no file", async () => {
  const db = await open({ databaseUrl: null, dataDir: await folder() });
  const directory = await folder();

  await expect(db.backup(join(directory, "missing", "backup.db"))).rejects.toThrow(/ENOENT/);

  expect(await readdir(directory)).toEqual([]);
});

test("[O11] another process copies a store that is open here, and one that is not open", async () => {
  const dataDir = await folder();
  const directory = await folder();
  const db = await openDb({ databaseUrl: null, dataDir });
  const made = await storedGame(db);
  const backupFromOutside = async (target: string) => {
    const backup = new URL("../../src/store/backup.ts", import.meta.url).href;
    const program = `const { backupFile } = await import(${JSON.stringify(backup)});
      await backupFile(${JSON.stringify(dataDir)}, ${JSON.stringify(target)});`;
    const script = join(directory, "backup.mts");
    await writeFile(script, program);
    await promisify(execFile)(process.execPath, ["--import", import.meta.resolve("tsx"), script]);
  };

  await backupFromOutside(join(directory, "running.db"));
  expect(await insertGame(db, game())).toBe("ok");
  await db.close();
  await backupFile(dataDir, join(directory, "stopped.db"));

  const running = await restored(join(directory, "running.db"));
  const stopped = await restored(join(directory, "stopped.db"));
  expect(await listGames(running, { after: null, limit: 10 })).toEqual([made]);
  expect(await listGames(stopped, { after: null, limit: 10 })).toHaveLength(2);
});

test("a folder without a store is named", async () => {
  const dataDir = join(await folder(), "data");
  await mkdir(dataDir);

  await expect(backupFile(dataDir, join(dataDir, "backup.db"))).rejects.toThrow(join(dataDir, "foyer.db"));

  expect(await readdir(dataDir)).toEqual([]);
});

test("on postgresql the error names the program that does it", async () => {
  const db = await emptyStore("postgresql");

  await expect(db.backup(join(await folder(), "backup.db"))).rejects.toThrow("pg_dump");
});
