import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createSqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import { loadState } from "../../src/matchmaker/changes.ts";
import { createHistory, randomNamespaceId, steps } from "../conformance/random-commands.ts";
import type { Change } from "../support/changes.ts";
import { stateHash } from "../support/state-hash.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  fileIn,
  gate,
  gone,
  journalIn,
  loadedJournal,
  namespaceId,
  otherNamespaceId,
  outcomeOf,
  player,
  storedIds,
  turn,
} from "./journals.ts";

test("a new journal is empty, private, and takes changes once it is loaded", async () => {
  const dataDir = temporaryFolder();
  const journal = journalIn(join(dataDir, "made", "on", "the", "way"));
  await expect(journal.append(namespaceId, [player("a")])).rejects.toThrow("not loaded yet");
  expect(await journal.load()).toEqual(new Map());
  await journal.append(namespaceId, [player("a")]);

  const folder = join(dataDir, "made", "on", "the", "way");
  const names = readdirSync(folder).filter((name) => !name.startsWith("lobbies.db-synced"));
  expect(names.sort()).toEqual(["lobbies.db", "lobbies.db-wal"]);
  for (const name of readdirSync(folder)) {
    // The note of the last sync is written to a new file that is renamed, so one of the names may no longer exist.
    const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0o600;
    expect(mode & 0o777, name).toBe(0o600);
  }
});

test("what is loaded is what was appended last, by namespace", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  const odd = 'a "quoted"\n\u0000\u2028 key 🎲';
  const row = [3, null, 0.5, 4_294_967_295, "ü", { map: "ice" }, [["a", 1]], []];
  await journal.append(namespaceId, [player("a", 1), player("b", 1), { entity: "key", id: odd, row }]);
  await journal.append(otherNamespaceId, [player("a", "other")]);
  await journal.append(namespaceId, [player("a", 2), gone("b"), gone("never there")]);
  await journal.close();

  expect(await journalIn(dataDir).load()).toEqual(
    new Map([
      [namespaceId, [player("a", 2), { entity: "key", id: odd, row }]],
      [otherNamespaceId, [player("a", "other")]],
    ]),
  );
});

test("within one group the later append wins, whether it puts or removes", async () => {
  const held = gate("commit", 1, "before");
  const journal = await loadedJournal(temporaryFolder(), held.step);
  const first = journal.append(namespaceId, [player("first")]);
  await held.reached();
  const appends = [
    journal.append(namespaceId, [player("put", 1), player("removed", 1)]),
    journal.append(namespaceId, [gone("put"), player("removed", 2)]),
    journal.append(namespaceId, [player("put", 3), gone("removed")]),
  ];
  held.open();
  await Promise.all([first, ...appends]);
  expect(journal.commitCount()).toBe(2);
  expect((await journal.load()).get(namespaceId)).toEqual([player("first"), player("put", 3)]);
});

test("[I19] the same id in two namespaces of one commit is two entities", async () => {
  const journal = await loadedJournal(temporaryFolder());
  const key: Change = { entity: "key", id: "192.0.2.1 find k", row: [3, "first"] };
  const other: Change = { ...key, row: [3, "other"] };
  await Promise.all([journal.append(namespaceId, [key]), journal.append(otherNamespaceId, [other])]);
  expect(journal.commitCount()).toBe(1);
  expect(await journal.load()).toEqual(
    new Map([
      [namespaceId, [key]],
      [otherNamespaceId, [other]],
    ]),
  );
});

test("256 appends of one turn are one commit", async () => {
  const journal = await loadedJournal(temporaryFolder());
  await Promise.all(Array.from({ length: 256 }, (_, i) => journal.append(namespaceId, [player(`${i}`)])));
  expect(journal.commitCount()).toBe(1);
  expect(await storedIds(journal)).toHaveLength(256);
});

test("[I22] appends of many turns that come while a commit is running share the next one, and none is answered before it", async () => {
  const [first, second] = [gate("commit", 1, "before"), gate("commit", 2, "before")];
  const journal = await loadedJournal(temporaryFolder(), first.step, second.step);
  const appends = [journal.append(namespaceId, [player("first")])];
  await first.reached();
  for (let i = 0; i < 50; i++) {
    appends.push(journal.append(namespaceId, [player(`${i}`), player(`${i} too`)]));
    await turn();
  }
  expect(journal.pendingChanges()).toBe(101);
  first.open();
  await appends[0];
  await second.reached();
  expect(await outcomeOf(Promise.race(appends.slice(1)))).toBe("waiting");
  expect(await outcomeOf(journal.flush())).toBe("waiting");
  expect(journal.pendingChanges()).toBe(100);

  second.open();
  await journal.flush();
  expect(await outcomeOf(Promise.all(appends))).toBe("done");
  expect([journal.commitCount(), journal.pendingChanges()]).toEqual([2, 0]);
});

test("appends are answered in their order", async () => {
  const journal = await loadedJournal(temporaryFolder());
  const answered: number[] = [];
  const appends = [];
  for (let i = 0; i < 300; i++) {
    appends.push(journal.append(namespaceId, [player(`${i}`)]).then(() => answered.push(i)));
    if (i % 7 === 0) await turn();
  }
  await Promise.all(appends);
  expect(answered).toEqual(Array.from({ length: 300 }, (_, i) => i));
});

test("a stalled disk shows as being behind, and passes", async () => {
  const held = gate("commit", 1, "before");
  const journal = await loadedJournal(temporaryFolder(), held.step);
  const changes = Array.from({ length: 60_000 }, (_, i) => player(`${i}`));
  expect(journal.isBehind()).toBe(false);
  const append = journal.append(namespaceId, changes);
  expect(journal.isBehind()).toBe(true);
  held.open();
  await append;
  expect(journal.isBehind()).toBe(false);
});

test("[I23] after any history the loaded state has the hash that the live one had", async () => {
  await fc.assert(
    fc.asyncProperty(steps(200), async (history) => {
      const dataDir = temporaryFolder();
      const engine = await createMemoryEngine(createSqliteJournal({ dataDir }));
      const { commandOf } = createHistory();
      await Promise.all(history.map((step) => engine.execute(commandOf(step))));
      const live = engine.states().get(randomNamespaceId);
      const liveHash = live === undefined ? null : stateHash(live);
      await engine.close();

      const journal = createSqliteJournal({ dataDir });
      const stored = (await journal.load()).get(randomNamespaceId);
      await journal.close();
      expect(stored === undefined ? null : stateHash(loadState(randomNamespaceId, stored))).toBe(liveHash);
    }),
    { numRuns: 3 },
  );
});

test("the log is checkpointed during operation, and gone after closing", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  for (let round = 0; round < 20; round++) {
    const changes = Array.from({ length: 2_000 }, (_, i) => player(`${i}`, round, "x".repeat(200)));
    await journal.append(namespaceId, changes);
  }
  expect(statSync(`${fileIn(dataDir)}-wal`).size).toBeLessThan(8 * 1024 * 1024);
  await journal.close();
  expect(existsSync(`${fileIn(dataDir)}-wal`)).toBe(false);
});

test("closing finishes what was appended, and is the end", async () => {
  const dataDir = temporaryFolder();
  const journal = await loadedJournal(dataDir);
  const append = journal.append(namespaceId, [player("last")]);
  await Promise.all([journal.close(), journal.close()]);
  expect(await outcomeOf(append)).toBe("done");
  await expect(journal.append(namespaceId, [player("late")])).rejects.toThrow("is closed");
  await expect(journal.probe()).rejects.toThrow("is closed");
  await expect(journal.load()).rejects.toThrow("is closed");
  expect(await storedIds(journalIn(dataDir))).toEqual(["last"]);
});

test("a load includes what was appended before it", async () => {
  const journal = await loadedJournal(temporaryFolder());
  const append = journal.append(namespaceId, [player("before")]);
  const [once, twice] = await Promise.all([journal.load(), journal.load()]);
  expect(await outcomeOf(append)).toBe("done");
  expect(once.get(namespaceId)).toEqual([player("before")]);
  expect(twice).toBe(once);
});

test("[I23] a second journal on the same folder refuses while the first is open", async () => {
  const dataDir = temporaryFolder();
  const first = await loadedJournal(dataDir);
  const second = journalIn(dataDir);
  await expect(second.load()).rejects.toThrow(`The file ${fileIn(dataDir)} is in use`);
  await first.append(namespaceId, [player("a")]);
  await first.close();
  expect(await storedIds(second)).toEqual(["a"]);
});
