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
  /** So many changes wait that the disk cannot be keeping up: new work should be refused before it is decided. */
  isBehind(): boolean;
  /** Nothing that is written is kept from now on: everything under way fails, and so does everything that comes. */
  giveUp(reason: string): void;
  /** How many group commits there were, for measuring. */
  commitCount(): number;
}

export const journalFileName = "lobbies.db";

/** About half a second's worth for a disk that keeps up, and some 20 MB. */
const pendingChangesMax = 50_000;

/**
 * Keeps changes in an SQLite file of the data folder. A worker thread does everything that touches the disk, so the
 * event loop never waits for it. Appends that come while a commit is running share the next one.
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

/** Those who ask for the same thing while it is loaded share it. */
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

/** What was appended before is part of what is loaded; what comes meanwhile would be on top of something else. */
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

function probe(core: JournalCore): Promise<void> {
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
