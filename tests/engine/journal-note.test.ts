import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDamage, repairJournal } from "../../src/engine/memory/journal-repair.ts";
import { createSqliteJournal, type SqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { loadSqlite } from "../../src/ground/sqlite.ts";
import { toChanges } from "../support/changes.ts";
import { eventually } from "../support/redis-link.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { fileIn, journalIn, loadedJournal, namespaceId, player, storedIds } from "./journals.ts";

const noteIn = (dataDir: string) => `${fileIn(dataDir)}-synced`;
const logIn = (dataDir: string) => `${fileIn(dataDir)}-wal`;
const notedIn = (dataDir: string) =>
  existsSync(noteIn(dataDir)) ? Number(readFileSync(noteIn(dataDir), "utf8").split(" ")[1]) : 0;

/** A folder as a kill leaves it, with this many commits in the log, the last of which is noted. */
async function killedFolder(commits: number, isNoted = true): Promise<string> {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await appendEach(journal, 0, commits);
  if (isNoted) await eventually(() => notedIn(dataDir) === commits);
  return copyOf(dataDir);
}

async function appendEach(journal: SqliteJournal, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    await journal.append(namespaceId, toChanges([player(`player-${i}`, "x".repeat(300))]));
  }
}

/** A draft of the note may come and go at any moment. */
const isWhole = (name: string) => !name.endsWith(".new");

/** The files as they are now: what is open is not touched. */
function copyOf(dataDir: string): string {
  const copy = join(temporaryFolder(), "copy");
  mkdirSync(copy);
  for (const name of readdirSync(dataDir).filter(isWhole)) cpSync(join(dataDir, name), join(copy, name));
  return copy;
}

function flip(file: string, at: number): void {
  const content = readFileSync(file);
  content[at] = content[at]! ^ 0x40;
  writeFileSync(file, content);
}

/** A folder's files with their content. */
function contentOf(dataDir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name)).toString("base64")]),
  );
}

async function open(dataDir: string) {
  const warnings: string[] = [];
  const journal = createSqliteJournal({ dataDir, onWarning: (message) => warnings.push(message) });
  try {
    return { ids: await storedIds(journal), warnings };
  } finally {
    await journal.close();
  }
}

test("[DU10] commits are numbered, and the number of the last one is noted beside the journal", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await appendEach(journal, 0, 3);
  await eventually(() => notedIn(dataDir) === 3);
  expect(statSync(noteIn(dataDir)).mode & 0o777).toBe(0o600);
  await journal.load();
  await appendEach(journal, 3, 5);
  await eventually(() => notedIn(dataDir) === 5);
});

test.each([0.02, 0.3, 0.5, 0.9])(
  "[DU11] a changed byte at %s of the log is damage, and nothing is touched",
  async (part) => {
    const dataDir = await killedFolder(40);
    const log = statSync(logIn(dataDir)).size;
    flip(logIn(dataDir), Math.floor(log * part));
    const before = contentOf(dataDir);
    const refusal = await journalIn(dataDir)
      .load()
      .catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: "JournalRefused", message: expect.stringContaining(fileIn(dataDir)) });
    expect(refusal).toMatchObject({ message: expect.stringMatching(/up to \d+ commits? .*`foyer repair`/) });
    expect(contentOf(dataDir)).toEqual(before);
    await expect(journalIn(dataDir).load()).rejects.toThrow(/foyer repair/);
  },
);

test.each([0, 9, 25])("[DU11] a changed byte in the log's header (%s) is damage", async (at) => {
  const dataDir = await killedFolder(10);
  flip(logIn(dataDir), at);
  await expect(journalIn(dataDir).load()).rejects.toThrow(/up to 10 commits/);
});

test("[DU11] a log that is gone, and a shortened one, are damage", async () => {
  const dataDir = await killedFolder(10);
  writeFileSync(logIn(dataDir), readFileSync(logIn(dataDir)).subarray(0, 20_000));
  await expect(journalIn(dataDir).load()).rejects.toThrow(/foyer repair/);
  rmSync(logIn(dataDir));
  await expect(journalIn(dataDir).load()).rejects.toThrow(/foyer repair/);
});

test("[DU12] a log that breaks off behind the noted commit is a torn end: it opens with a warning", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await appendEach(journal, 0, 5);
  await eventually(() => notedIn(dataDir) > 0);
  const note = readFileSync(noteIn(dataDir));
  const noted = notedIn(dataDir);
  await appendEach(journal, 5, 8);
  const torn = copyOf(dataDir);
  writeFileSync(noteIn(torn), note);
  flip(logIn(torn), statSync(logIn(torn)).size - 100);
  const { ids, warnings } = await open(torn);
  expect(ids).toHaveLength(7);
  expect(warnings).toEqual([expect.stringMatching(/lobbies\.db-wal ends within a commit/)]);
  expect(noted).toBeLessThanOrEqual(5);
  expect(await open(torn)).toMatchObject({ warnings: [] });
});

test("[DU16] a log that breaks off behind the noted commit with commits behind that is damage, until it is repaired", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await appendEach(journal, 0, 5);
  await eventually(() => notedIn(dataDir) > 0);
  const note = readFileSync(noteIn(dataDir));
  const behindNote = statSync(logIn(dataDir)).size;
  await appendEach(journal, 5, 20);
  const damaged = copyOf(dataDir);
  await journal.close();
  writeFileSync(noteIn(damaged), note);
  flip(logIn(damaged), Math.floor((behindNote + statSync(logIn(damaged)).size) / 2));
  const before = contentOf(damaged);
  await expect(journalIn(damaged).load()).rejects.toThrow(/lobbies\.db is damaged: up to \d+ commits .*`foyer repair`/);
  expect(contentOf(damaged)).toEqual(before);
  const damage = await findDamage(damaged);
  expect(damage.missingCommits).toBeGreaterThan(1);
  await repairJournal(damage);
  const { ids, warnings } = await open(damaged);
  expect(ids.length).toBeGreaterThanOrEqual(5);
  expect(ids.length).toBeLessThan(20);
  expect(warnings).toEqual([]);
});

test("[DU12] frames of an earlier use of the log are no break", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  const many = Array.from({ length: 5_000 }, (_, i) => player(`many-${i}`));
  await journal.append(namespaceId, many);
  await appendEach(journal, 0, 3);
  await eventually(() => notedIn(dataDir) === 4);
  expect(await open(copyOf(dataDir))).toMatchObject({ ids: { length: 5_003 }, warnings: [] });
});

test("[DU13] a folder without a number opens, and counting begins", async () => {
  const dataDir = temporaryFolder();
  await appendEach(await loadedJournal(dataDir), 0, 3);
  const copy = copyOf(dataDir);
  // As 0.1.0 leaves it.
  const Database = await loadSqlite();
  const database = new Database(fileIn(copy));
  database.exec("drop table commits");
  database.close();
  rmSync(noteIn(copy), { force: true });
  const journal = await loadedJournal(copy);
  await appendEach(journal, 3, 4);
  await eventually(() => notedIn(copy) === 1);
  expect(await storedIds(journal)).toHaveLength(4);
});

test("[DU13] a copy of a stopped folder opens, and so does a new journal where an old one's number lies", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await appendEach(journal, 0, 5);
  await eventually(() => notedIn(dataDir) === 5);
  await journal.close();
  const copy = copyOf(dataDir);
  expect(await open(copy)).toMatchObject({ ids: { length: 5 }, warnings: [] });
  rmSync(fileIn(copy));
  expect(await open(copy)).toEqual({ ids: [], warnings: [] });
});

test("[DU13] a number that cannot be read says nothing", async () => {
  const dataDir = await killedFolder(3);
  writeFileSync(noteIn(dataDir), "");
  expect(await open(dataDir)).toMatchObject({ ids: { length: 3 }, warnings: [] });
});

test("[DU14] a number that cannot be written is said once and stops nothing", async () => {
  const dataDir = temporaryFolder();
  // A folder in its place is as good as a disk that refuses.
  mkdirSync(`${noteIn(dataDir)}.new`);
  const warnings: string[] = [];
  const journal = createSqliteJournal({ dataDir, onWarning: (message) => warnings.push(message) });
  await journal.load();
  await appendEach(journal, 0, 5);
  await eventually(() => warnings.length > 0);
  await journal.close();
  expect(warnings).toEqual([expect.stringMatching(/could not be written next to .*lobbies\.db/)]);
});
