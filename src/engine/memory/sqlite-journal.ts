import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Journal, TakeStored } from "./journal.ts";
import { appendChanges, flushBatches, sendFilling } from "./journal-batches.ts";
import { createJournalCore, failAll, type JournalCore, type SqliteJournalOptions, settleable } from "./journal-core.ts";
import { JournalUnavailable } from "./journal-errors.ts";
import { startWorker, stopWorker } from "./journal-link.ts";
import { createLoading, type Loading } from "./journal-loading.ts";
import type { ToWorker } from "./journal-messages.ts";

export interface SqliteJournal extends Journal {
  /** Changes that are not on the disk yet. */
  pendingChanges(): number;
  /** Whether the disk falls behind: too many changes wait, so new work should be refused before it is decided. */
  isBehind(): boolean;
  /** From now on nothing can be stored: every current and later append fails. */
  giveUp(reason: string): void;
  /** How many group commits there were, for measuring. */
  commitCount(): number;
}

export const journalFileName = "lobbies.db";

/** About half a second's worth for a disk that keeps up, and some 20 MB. */
const pendingChangesMax = 50_000;

/**
 * Stores changes in an SQLite file of the data folder (docs/decisions/0008). A worker thread does all disk access, so
 * the event loop never waits for it. Appends during a commit share the next commit.
 */
export function createSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const core = createJournalCore(options, join(options.dataDir, journalFileName));
  return {
    load: (take) => loadOnce(core, take),
    append: (namespaceId, changes) => appendChanges(core, namespaceId, changes),
    probe: () => probe(core),
    loadNamespace: (namespaceId) => loadNamespace(core, namespaceId),
    flush: () => flushBatches(core),
    close: () => closeJournal(core),
    giveUp(reason) {
      if (core.givenUp !== null || core.isClosing) return;
      core.givenUp = new JournalUnavailable(reason);
      const ending = core.worker;
      failAll(core, core.givenUp);
      ending?.postMessage({ type: "close" } satisfies ToWorker);
    },
    pendingChanges: () => core.pendingChanges,
    isBehind: () => core.pendingChanges > pendingChangesMax,
    commitCount: () => core.commits,
  };
}

/** Calls during a load share its result. */
async function loadOnce(core: JournalCore, take: TakeStored | undefined): Loading["done"] {
  if (core.givenUp !== null) throw core.givenUp;
  while (core.underway !== null && core.underway.take !== take) await core.underway.done.catch(() => undefined);
  if (core.underway === null) {
    const done = loadFromFile(core, take).finally(() => {
      core.underway = null;
    });
    core.underway = { take, done };
  }
  return core.underway.done;
}

/**
 * Earlier appends are part of the load; appends during the load are refused, because they would build on another state.
 */
async function loadFromFile(core: JournalCore, take: TakeStored | undefined): Loading["done"] {
  const flushed = flushBatches(core);
  if (!core.isClosing) core.blockedBy = new JournalUnavailable(`${core.file} is being loaded.`);
  await flushed.catch(() => undefined);
  await stopWorker(core);
  if (core.syncFailure !== null) throw core.syncFailure;
  if (core.isClosing) throw closedError(core);
  core.loading = createLoading(core.file, take);
  startWorker(core);
  return core.loading.done;
}

async function probe(core: JournalCore): Promise<void> {
  if (core.readOnly !== null) await openAgain(core, core.readOnly);
  return askWorker(core);
}

/** Only this process uses the file, so it has the same rows as when they were loaded. */
async function openAgain(core: JournalCore, readOnly: Error): Promise<void> {
  try {
    await (await open(core.file, "r+")).close();
  } catch {
    throw readOnly;
  }
  await loadOnce(core, dropRow);
}

function dropRow(): void {}

function askWorker(core: JournalCore): Promise<void> {
  if (core.blockedBy !== null) return Promise.reject(core.blockedBy);
  sendFilling(core);
  const waiting = settleable();
  core.probes.push(waiting);
  core.worker?.postMessage({ type: "probe" } satisfies ToWorker);
  return waiting.done;
}

async function loadNamespace(core: JournalCore, namespaceId: string): ReturnType<Journal["loadNamespace"]> {
  if (core.blockedBy !== null) throw core.blockedBy;
  sendFilling(core);
  const reading = createLoading(core.file, undefined);
  core.readings.push(reading);
  core.worker?.postMessage({ type: "read", namespaceId } satisfies ToWorker);
  return (await reading.done).get(namespaceId) ?? [];
}

async function closeJournal(core: JournalCore): Promise<void> {
  if (core.isClosing) return core.workerEnded;
  core.isClosing = true;
  const flushed = flushBatches(core);
  core.blockedBy = closedError(core);
  await flushed.catch(() => undefined);
  await core.underway?.done.catch(() => undefined);
  await stopWorker(core);
}

function closedError({ file }: JournalCore): JournalUnavailable {
  return new JournalUnavailable(`The journal ${file} is closed.`);
}
