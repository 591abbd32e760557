import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { openDataFolder } from "../../src/ground/data-folder.ts";
import { fileIn, journalIn, loadedJournal, namespaceId, player, storedIds } from "../engine/journals.ts";
import { eventually } from "../support/redis-link.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function repair(dataDir: string, ...more: string[]) {
  const written = { out: "", err: "" };
  const terminal = {
    out(text: string) {
      written.out += text;
    },
    err(text: string) {
      written.err += text;
    },
    isInteractive: false,
    colours: false,
    columns: 80,
    now: Date.now,
  };
  return { code: await run(["repair", "--data-dir", dataDir, ...more], terminal), ...written };
}

/** A draft of the note may come and go at any moment. */
const isWhole = (name: string) => !name.endsWith(".new");

/** As a kill leaves it, with ten noted commits, and then one changed byte in the log: only some of them can be read. */
async function damagedFolder() {
  const live = temporaryFolder();
  const journal = await loadedJournal(live);
  for (let i = 0; i < 10; i++) await journal.append(namespaceId, [player(`player-${i}`)]);
  const note = `${fileIn(live)}-synced`;
  await eventually(() => existsSync(note) && readFileSync(note, "utf8").endsWith(" 10\n"));
  const dataDir = join(temporaryFolder(), "data");
  mkdirSync(dataDir);
  for (const name of readdirSync(live).filter(isWhole)) cpSync(join(live, name), join(dataDir, name));
  const log = readFileSync(`${fileIn(dataDir)}-wal`);
  const middle = Math.floor(log.length / 2);
  log[middle] = log[middle]! ^ 1;
  writeFileSync(`${fileIn(dataDir)}-wal`, log);
  return { dataDir, damaged: log };
}

const said = /^The log of .*lobbies\.db is damaged: up to (\d+) acknowledged commits cannot be read\./;

test("[DU15] repair reports what is lost and changes nothing; with --yes it keeps a copy, and the rest opens", async () => {
  const { dataDir, damaged } = await damagedFolder();
  const first = await repair(dataDir);
  expect(first).toMatchObject({ code: 1, err: "", out: expect.stringMatching(said) });
  const missing = Number(said.exec(first.out)![1]);
  expect(readFileSync(`${fileIn(dataDir)}-wal`).equals(damaged)).toBe(true);
  await expect(journalIn(dataDir).load()).rejects.toThrow(`${missing} commits`);

  const second = await repair(dataDir, "--yes");
  expect(second).toMatchObject({ code: 0, err: "", out: expect.stringMatching(said) });
  expect(second.out).toContain(`A copy of the damaged files is in ${join(dataDir, "damaged-1")}.`);
  expect(readFileSync(join(dataDir, "damaged-1", "lobbies.db-wal")).equals(damaged)).toBe(true);
  expect(readdirSync(join(dataDir, "damaged-1")).sort()).toEqual(["lobbies.db", "lobbies.db-synced", "lobbies.db-wal"]);
  const left = (await storedIds(journalIn(dataDir))).length;
  // One commit more may be there, which only says how many there were.
  expect([10, 11]).toContain(left + missing);
});

test("[DU15] when nothing is missing, repair changes nothing, also with --yes", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  await journal.append(namespaceId, [player("a")]);
  await journal.close();
  const nothing = { code: 0, err: "", out: expect.stringMatching(/^No acknowledged commit is missing/) };
  expect(await repair(dataDir)).toEqual(nothing);
  expect(await repair(dataDir, "--yes")).toEqual(nothing);
  expect(existsSync(join(dataDir, "damaged-1"))).toBe(false);
});

test("[DU15] a folder that a service uses, and one that does not exist, are refused", async () => {
  const dataDir = temporaryFolder();
  const folder = await openDataFolder(dataDir);
  expect(await repair(dataDir, "--yes")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/in use by another Foyer/),
  });
  folder.release();
  expect(await repair(join(dataDir, "none"))).toMatchObject({ code: 1, err: expect.stringMatching(/no data folder/) });
});
