import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { loadSqlite } from "../../src/ground/sqlite.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { fileIn, journalIn, loadedJournal, namespaceId, player, storedIds } from "./journals.ts";

async function filledFolder(): Promise<string> {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  const changes = Array.from({ length: 2_000 }, (_, i) => player(`player-${i}`, "reserved", 1_700_000_000_000));
  await journal.append(namespaceId, changes);
  await journal.close();
  return dataDir;
}

async function execute(dataDir: string, sql: string): Promise<void> {
  const Database = await loadSqlite();
  const database = new Database(fileIn(dataDir));
  database.exec(sql);
  database.close();
}

async function expectRefusal(dataDir: string, reason: string | RegExp): Promise<void> {
  const before = readFileSync(fileIn(dataDir));
  const journal = journalIn(dataDir);
  const refusal = await journal.load().catch((error: Error) => error);
  await expect(journal.append(namespaceId, [player("a")])).rejects.toBe(refusal);
  expect(refusal).toMatchObject({ name: "JournalRefused", message: expect.stringContaining(fileIn(dataDir)) });
  expect(refusal).toMatchObject({ message: expect.stringMatching(reason) });
  expect(readFileSync(fileIn(dataDir)).equals(before)).toBe(true);
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file);
  bytes.copy(content, at);
  writeFileSync(file, content);
}

test("[I23] a changed letter in rows that are otherwise in order is noticed", async () => {
  const dataDir = await filledFolder();
  const content = readFileSync(fileIn(dataDir), "latin1");
  writeFileSync(fileIn(dataDir), content.replaceAll("reserved", "Reserved"), "latin1");
  await expectRefusal(dataDir, "damaged .*checksum");
});

test("[I23] one changed digit of an id is noticed", async () => {
  const dataDir = await filledFolder();
  const at = readFileSync(fileIn(dataDir)).lastIndexOf("player-1234");
  overwrite(fileIn(dataDir), at + 7, Buffer.from("9"));
  await expectRefusal(dataDir, "damaged");
});

test("[I23] a page of rubbish is noticed", async () => {
  const dataDir = await filledFolder();
  overwrite(fileIn(dataDir), 20 * 4096, Buffer.alloc(4096, 0xa5));
  await expectRefusal(dataDir, "damaged");
});

test("[I23] a shortened file is noticed", async () => {
  const dataDir = await filledFolder();
  truncateSync(fileIn(dataDir), 5 * 4096);
  await expectRefusal(dataDir, "damaged");
});

test("[I23] a file that is no database is refused", async () => {
  const dataDir = temporaryFolder();
  writeFileSync(fileIn(dataDir), "This is no database, and long enough to be taken for the header of one.".repeat(20));
  await expectRefusal(dataDir, "damaged");
});

test("[I23] a row that is no JSON is refused, even with the right checksum", async () => {
  const dataDir = await filledFolder();
  const [id, row] = ['"odd"', "[1,"];
  const sum = crc32(`[2,${id},${row}]`, crc32(namespaceId));
  await execute(dataDir, `insert into entities values ('${namespaceId}', 2, '${id}', '${row}', ${sum})`);
  await expectRefusal(dataDir, "damaged .*cannot be read");
});

test("a file of a newer layout is refused as such", async () => {
  const dataDir = await filledFolder();
  await execute(dataDir, "pragma user_version = 2");
  await expectRefusal(dataDir, "newer Foyer .*layout 2; this one reads 1");
});

test("a file of an unknown older layout is refused", async () => {
  const dataDir = await filledFolder();
  await execute(dataDir, "pragma user_version = 0");
  await expectRefusal(dataDir, "damaged .*unknown layout 0");
});

test("a database of another program is refused", async () => {
  const dataDir = temporaryFolder();
  await execute(dataDir, "pragma journal_mode = wal; create table other (a)");
  await expectRefusal(dataDir, "another program");
});

test("an empty file is a new journal, as after a crash in the very first moment", async () => {
  const dataDir = temporaryFolder();
  writeFileSync(fileIn(dataDir), "");
  expect(await storedIds(journalIn(dataDir))).toEqual([]);
});

test("[I23] one damaged row between good ones on the same page is noticed", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await journal.append(
    namespaceId,
    ["first", "second", "third"].map((id) => player(id, "reserved")),
  );
  await journal.close();
  await execute(dataDir, "update entities set row = replace(row, 'reserved', 'Reserved') where id = '\"second\"'");
  await expectRefusal(dataDir, "damaged .*checksum");
});
