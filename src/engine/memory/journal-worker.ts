import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { loadSqlite, type SqliteDatabase } from "../../ground/sqlite.ts";
import { failureOf, type JournalFailure, JournalRefused, missingCommitsMessage } from "./journal-errors.ts";
import { type CommitCounter, checkpoint, openCommitCounter, openJournalFile, verifyAndSync } from "./journal-file.ts";
import { inspectJournal } from "./journal-inspection.ts";
import type { FailpointHooks, FromWorker, ToWorker, WorkerSettings } from "./journal-messages.ts";
import { createNoting, type Noting } from "./journal-note.ts";
import { prepareWriting, readRows, type WriteBatches } from "./journal-rows.ts";

/**
 * The thread that owns the journal's file, from loading it to the first failure or to closing. Batches that arrive
 * while a commit is running are committed together next. After a failure it drops what is still in its way, because
 * that was decided on top of what was lost, and ends: only the end of the thread surely lets go of the file.
 */
type Commit = Extract<ToWorker, { type: "commit" }>;

// A border: this file is started by journal-thread.ts only, with these settings and these messages.
const port = parentPort!;
const { file, failpoints } = workerData as WorkerSettings;
const failpoint: FailpointHooks =
  failpoints === null
    ? { opened() {}, reached() {} }
    : (await import(failpoints.module)).createFailpoints(failpoints.settings);
let changesInLog = 0;
let lastCommit = 0;
/** The last one whose number is in the file. */
let markedCommit = 0;
let hasFailed = false;

// One transaction must not grow so large that those who wait for it wait for seconds.
const groupChangesMax = 20_000;

// A change writes about one page of 4 KiB at most, so the log stays near 16 MB. Then it is used again from its start.
const logChangesMax = 4_000;

const Database = await loadSqlite();
const open = load();
if (open !== null) {
  port.on("message", (first: ToWorker) => {
    let next: ToWorker | null = first;
    // Closing a port does not stop what is already in it from arriving.
    while (next !== null && !hasFailed) next = next.type === "commit" ? commitGroup(open, next) : handle(open, next);
  });
}

interface Open {
  readonly database: SqliteDatabase;
  readonly write: WriteBatches;
  readonly counter: CommitCounter;
  readonly noting: Noting;
}

function load(): Open | null {
  let opened: Open | null = null;
  const failure = attempt(() => {
    refuseMissingCommits();
    const database = openJournalFile(Database, file);
    const counter = openCommitCounter(database);
    try {
      readRows(database, file, (namespaceId, text) => tell({ type: "rows", namespaceId, text }));
    } finally {
      // Also when reading has failed: that the file is damaged is then the better reason.
      failpoint.opened(database);
      verifyAndSync(database, file);
    }
    lastCommit = counter.last;
    markedCommit = counter.last;
    const noting = createNoting(file, counter.journalId, { due: () => markLast(), fault: sayNoNote });
    opened = { database, write: prepareWriting(database), counter, noting };
  });
  tell({ type: "loaded", failure });
  if (failure !== null) leave(failure);
  return opened;
}

/** Before SQLite opens the file to write, which would tidy away what stands behind a damaged place. */
function refuseMissingCommits(): void {
  const { missingCommits, isLogBroken } = inspectJournal(Database, file);
  if (missingCommits > 0) throw new JournalRefused(missingCommitsMessage(file, missingCommits));
  if (!isLogBroken) return;
  const message = `${file}-wal ends in the middle of a commit, as after a power cut. Commits of the last second may be lost.`;
  tell({ type: "warning", message });
}

function sayNoNote(reason: string): void {
  const message = `The number of the last commit could not be written beside ${file} (${reason}). Damage to it may not be noticed.`;
  tell({ type: "warning", message });
}

/** Gives the message that came after the group and is none of it, if there was one. */
function commitGroup({ database, write, counter, noting }: Open, first: Commit): ToWorker | null {
  const { group, changeCount, next } = gather(first);
  // The number is a page of its own, which most commits are spared.
  const isMarked = noting.isDue();
  const failure = attempt(() => {
    database.exec("begin immediate");
    write(group.map((commit) => commit.text));
    if (isMarked) counter.write(lastCommit + 1);
    failpoint.reached("commit", "before");
    database.exec("commit");
    failpoint.reached("commit", "after");
  });
  if (failure !== null) return fail(failure);
  tell({ type: "committed", throughBatch: group.at(-1)!.batch });
  lastCommit += 1;
  if (isMarked) mark(noting);
  changesInLog += 1 + changeCount;
  return changesInLog < logChangesMax ? next : foldLog(database, next);
}

function mark(noting: Noting): void {
  markedCommit = lastCommit;
  noting.synced(lastCommit);
}

/** The commits before a pause get their number by themselves. */
function markLast(): void {
  if (open === null || hasFailed || markedCommit === lastCommit) return;
  const { database, counter, noting } = open;
  const failure = attempt(() => {
    database.exec("begin immediate");
    counter.write(lastCommit);
    database.exec("commit");
  });
  if (failure === null) mark(noting);
  else fail(failure);
}

function gather(first: Commit): { group: Commit[]; changeCount: number; next: ToWorker | null } {
  const group = [first];
  let { changeCount } = first;
  while (changeCount < groupChangesMax) {
    // A border: see journal-messages.ts.
    const next: ToWorker | undefined = receiveMessageOnPort(port)?.message;
    if (next?.type !== "commit") return { group, changeCount, next: next ?? null };
    group.push(next);
    changeCount += next.changeCount;
  }
  return { group, changeCount, next: null };
}

/** A log that cannot be folded would grow until the disk is full, so failing to is as good as a failed commit. */
function foldLog(database: SqliteDatabase, next: ToWorker | null): ToWorker | null {
  const failure = attempt(() => fold(database, "passive"));
  return failure === null ? next : fail(failure);
}

function fold(database: SqliteDatabase, mode: "passive" | "truncate"): void {
  failpoint.reached("checkpoint", "before");
  checkpoint(database, mode);
  changesInLog = 0;
}

function fail(failure: JournalFailure): null {
  hasFailed = true;
  tell({ type: "failed", failure });
  return leave(failure);
}

/** After a failed sync the thread stays: at its end SQLite would copy pages that may no longer be what was written. */
function leave(failure: JournalFailure | null): null {
  if (failure?.kind === "sync-failed") port.on("message", () => undefined);
  else port.close();
  return null;
}

function handle({ database }: Open, message: Exclude<ToWorker, Commit>): null {
  if (message.type === "probe") {
    const failure = attempt(() => probe(database));
    tell({ type: "probed", failure });
    hasFailed = failure?.kind === "sync-failed";
    return null;
  }
  if (message.type === "read") {
    const { namespaceId } = message;
    const give = (_: string, text: string) => tell({ type: "rows", namespaceId, text });
    tell({ type: "read", failure: attempt(() => readRows(database, file, give, namespaceId)) });
    return null;
  }
  // Whatever cannot be folded now is read from the log at the next start.
  const failure = attempt(() => fold(database, "truncate"));
  return failure?.kind === "sync-failed" ? fail(failure) : leave(failure);
}

/** The log starts anew, so that the probe needs room both in the file and for a new log, as the next commits will. */
function probe(database: SqliteDatabase): void {
  fold(database, "truncate");
  try {
    database.exec(`begin immediate; insert or replace into probe values (1, zeroblob(${probeBytes}))`);
    failpoint.reached("probe", "before");
    database.exec("commit");
  } catch (error) {
    undo(database);
    throw error;
  }
}

const probeBytes = 64 * 1024;

function undo(database: SqliteDatabase): void {
  try {
    database.exec("rollback");
  } catch {
    // Some failures end the transaction by themselves, and then there is nothing to undo.
  }
}

function attempt(action: () => void): JournalFailure | null {
  try {
    action();
    return null;
  } catch (error) {
    return failureOf(error, file);
  }
}

function tell(message: FromWorker): void {
  port.postMessage(message);
}
