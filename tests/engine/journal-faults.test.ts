import { describe, expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { EngineUnavailable } from "../../src/ground/unavailable.ts";
import type { Configure } from "../../src/matchmaker/commands.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  codes,
  fails,
  gate,
  journalIn,
  loadedJournal,
  namespaceId,
  outcomeOf,
  player,
  storedIds,
  turn,
} from "./journals.ts";

describe.each([
  ["a full disk", codes.full],
  ["an input/output error", codes.ioWrite],
])("[I24] a commit that fails with %s", (_, code) => {
  test("rejects its appends, those behind it and those after it, until the next load", async () => {
    const held = gate("commit", 2, "before");
    const journal = await loadedJournal(temporaryFolder(), held.step, fails("commit", 2, "before", code));
    await journal.append(namespaceId, [player("kept")]);
    const lost = [journal.append(namespaceId, [player("lost"), player("kept", "changed")])];
    await held.reached();
    for (let i = 0; i < 5; i++) {
      lost.push(journal.append(namespaceId, [player(`behind ${i}`)]));
      await turn();
    }
    lost.push(journal.append(namespaceId, [player("not sent yet")]));
    held.open();
    for (const append of lost) await expect(append).rejects.toThrow(`SQLite code ${code}`);
    await expect(journal.append(namespaceId, [player("after")])).rejects.toThrow(`SQLite code ${code}`);
    await expect(journal.probe()).rejects.toThrow(`SQLite code ${code}`);
    await expect(journal.flush()).rejects.toThrow(`SQLite code ${code}`);
    expect(journal.pendingChanges()).toBe(0);

    expect((await journal.load()).get(namespaceId)).toEqual([player("kept")]);
    await journal.probe();
    await journal.append(namespaceId, [player("again")]);
    expect(await storedIds(journal)).toEqual(["again", "kept"]);
    expect(journal.syncFailures).toEqual([]);
  });

  test("and was on the disk all the same is part of the next load", async () => {
    const journal = await loadedJournal(temporaryFolder(), fails("commit", 1, "after", code));
    await expect(journal.append(namespaceId, [player("unknown")])).rejects.toThrow("could not be used");
    expect(await storedIds(journal)).toEqual(["unknown"]);
  });
});

test("[I24] a log that cannot be checkpointed fails later writes and loses nothing", async () => {
  const journal = await loadedJournal(temporaryFolder(), fails("checkpoint", 1, "before", codes.full));
  const many = Array.from({ length: 5_000 }, (_, i) => player(`${i}`));
  await journal.append(namespaceId, many);
  await expect(journal.append(namespaceId, [player("next")])).rejects.toThrow("SQLite code 13");
  expect(await storedIds(journal)).toHaveLength(5_000);
});

test("[I24] a probe that fails may be made again", async () => {
  const journal = await loadedJournal(temporaryFolder(), fails("probe", 1, "before", codes.full));
  await journal.append(namespaceId, [player("a")]);
  await expect(journal.probe()).rejects.toThrow("SQLite code 13");
  await journal.probe();
  await journal.append(namespaceId, [player("b")]);
  expect(await storedIds(journal)).toEqual(["a", "b"]);
});

describe.each([
  ["a commit", fails("commit", 1, "before", codes.ioFsync)],
  ["a commit's folder", fails("commit", 1, "before", codes.ioDirFsync)],
  ["a probe", fails("probe", 1, "before", codes.ioFsync)],
  ["a checkpoint", fails("checkpoint", 1, "before", codes.ioFsync)],
])("[I24] a sync of %s that fails", (_, step) => {
  test("is reported once as fatal, and nothing works afterwards", async () => {
    const journal = await loadedJournal(temporaryFolder(), step);
    const many = Array.from({ length: 5_000 }, (_, i) => player(`${i}`));
    const outcomes = [journal.append(namespaceId, many), journal.probe()];
    await Promise.allSettled(outcomes);
    expect(await outcomeOf(journal.append(namespaceId, [player("b")]))).toBe("JournalSyncFailed");
    expect(await outcomeOf(journal.load())).toBe("JournalSyncFailed");
    expect(journal.syncFailures).toHaveLength(1);
    expect(journal.syncFailures[0]?.message).toContain("lobbies.db");
  });
});

test("[I24] a sync that fails while closing is reported, and closing ends", async () => {
  const journal = await loadedJournal(temporaryFolder(), fails("checkpoint", 1, "before", codes.ioFsync));
  await journal.append(namespaceId, [player("a")]);
  await journal.close();
  expect(journal.syncFailures).toHaveLength(1);
});

describe.each(["before", "after"] as const)("[I24] a worker that dies %s the changes are on the disk", (when) => {
  test("rejects what is under way; the next load starts another", async () => {
    const dataDir = temporaryFolder();
    const journal = await loadedJournal(dataDir, { on: "commit", number: 2, when, what: { type: "die" } });
    await journal.append(namespaceId, [player("kept")]);
    const appends = [journal.append(namespaceId, [player("unknown")]), journal.probe()];
    for (const append of appends) await expect(append).rejects.toThrow("has ended (1)");
    await expect(journal.append(namespaceId, [player("after")])).rejects.toThrow("has ended (1)");
    expect(await storedIds(journal)).toEqual(when === "before" ? ["kept"] : ["kept", "unknown"]);
  });
});

test("[I24] an engine whose commit failed reloads what is on disk, keeps reading, and writes again after a probe", async () => {
  const configure = (revision: number): Configure => ({
    type: "configure",
    namespaceId,
    now: 1,
    revision,
    limits: { lobbyCountMax: 10, maxPlayers: 10, maxPlayersPerClient: null },
    deployedVersionId: null,
    idleMinimums: [],
  });
  const journal = journalIn(temporaryFolder(), {
    steps: [fails("commit", 2, "before", codes.full), fails("probe", 1, "before", codes.full)],
  });
  const engine = await createMemoryEngine(journal);
  const revision = () => engine.states().get(namespaceId)?.namespace?.revision;
  await engine.execute(configure(1));
  await expect(engine.execute(configure(2))).rejects.toThrow(EngineUnavailable);
  expect(await engine.read({ type: "namespaces" })).toHaveLength(1);
  expect(revision()).toBe(1);

  // The failpoints of the first thread count from zero in the next one: its first probe fails too.
  await expect(engine.execute(configure(3))).rejects.toThrow("accepts no changes");
  expect(revision()).toBe(1);
  await engine.execute(configure(4));
  expect(revision()).toBe(4);
});
