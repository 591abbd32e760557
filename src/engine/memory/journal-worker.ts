import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { loadSqlite, type SqliteDatabase } from "../../ground/sqlite.ts";
import { type JournalFailure, JournalRefused, missingCommitsMessage, toFailure } from "./journal-errors.ts";
import {
  type CommitCounter,
  checkpoint,
  openCommitCounter,
  openJournalFile,
  openToRead,
  openUnlessReadOnly,
  verifyAndSync,
} from "./journal-file.ts";
import { inspectJournal } from "./journal-inspection.ts";
import type { FailpointHooks, FromWorker, ToWorker, WorkerSettings } from "./journal-messages.ts";
import { createNoting, type Noting } from "./journal-note.ts";
import { prepareWriting, readRows, type WriteBatches } from "./journal-rows.ts";

/**
 * The thread that owns the journal's file, from loading it to the first failure or to closing. Batches that arrive
 * while a commit is running are committed together next. After a failure it drops the waiting batches, because they
 * build on lost changes, and ends: only the end of the thread reliably releases the file.
 */
type Commit = Extract<ToWorker, { type: "commit" }>;

// The cast is safe: only journal-link.ts starts this file, with these settings and messages.
const port = parentPort!;
const { file, mayBeReadOnly, failpoints } = workerData as WorkerSettings;
const failpoint: FailpointHooks =
  failpoints === null
    ? { opened() {}, reached() {} }
    : (await import(failpoints.module)).createFailpoints(failpoints.settings);
let changesInLog = 0;
let lastCommit = 0;
/** The last commit whose number is in the file. */
let markedCommit = 0;
let hasFailed = false;

// One transaction must not grow so large that callers wait for seconds.
const groupChangesMax = 20_000;

// A change writes about one page of 4 KiB at most, so the log stays near 16 MB. Then SQLite reuses it from its start.
const logChangesMax = 4_000;

const Database = await loadSqlite();
const open = load();
if (open !== null) {
  port.on("message", (first: ToWorker) => {
    let next: ToWorker | null = first;
    // Messages that are already in a port still arrive after it is closed.
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
  let isReadOnly = false;
  const failure = attempt(() => {
    refuseMissingCommits();
    const database = mayBeReadOnly ? openUnlessReadOnly(Database, file) : openJournalFile(Database, file);
    if (database === null) {
      isReadOnly = true;
      return readRows(openToRead(Database, file), file, postRows);
    }
    const counter = openCommitCounter(database);
    try {
      readRows(database, file, postRows);
    } finally {
      // Also after a failed read: a damaged file is then the better reason.
      failpoint.opened(database);
      verifyAndSync(database, file);
    }
    lastCommit = counter.last;
    markedCommit = counter.last;
    const noting = createNoting(file, counter.journalId, { due: () => markLast(), failed: sayNoNote });
    opened = { database, write: prepareWriting(database), counter, noting };
  });
  post({ type: "loaded", failure, isReadOnly });
  if (opened === null) leave(failure);
  return opened;
}

function postRows(namespaceId: string, text: string): void {
  post({ type: "rows", namespaceId, text });
}

/** Called before SQLite opens the file for writing, which would remove everything after a damaged frame. */
function refuseMissingCommits(): void {
  const { missingCommits, isLogBroken } = inspectJournal(Database, file);
  if (missingCommits > 0) throw new JournalRefused(missingCommitsMessage(file, missingCommits));
  if (!isLogBroken) return;
  const message = `${file}-wal ends within a commit, as after a power cut. Commits of the last second may be lost.`;
  post({ type: "warning", message });
}

function sayNoNote(reason: string): void {
  const message = `The number of the last commit could not be written next to ${file} (${reason}). Foyer may not notice damage to that file.`;
  post({ type: "warning", message });
}

/** Returns the first message that is not part of the group, if there is one. */
function commitGroup({ database, write, counter, noting }: Open, first: Commit): ToWorker | null {
  const { group, changeCount, next } = gather(first);
  // The number is an extra page, so only some commits write it.
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
  post({ type: "committed", throughBatch: group.at(-1)!.batch });
  lastCommit += 1;
  if (isMarked) mark(noting);
  changesInLog += 1 + changeCount;
  return changesInLog < logChangesMax ? next : foldLog(database, next);
}

function mark(noting: Noting): void {
  markedCommit = lastCommit;
  noting.synced(lastCommit);
}

/** Writes the number of the last commit before a pause. */
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
    // The types are in journal-messages.ts.
    const next: ToWorker | undefined = receiveMessageOnPort(port)?.message;
    if (next?.type !== "commit") return { group, changeCount, next: next ?? null };
    group.push(next);
    changeCount += next.changeCount;
  }
  return { group, changeCount, next: null };
}

/** A log that cannot be merged would grow until the disk is full, so this failure counts as a failed commit. */
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
  post({ type: "failed", failure });
  return leave(failure);
}

/** After a failed sync the thread keeps running: at its end SQLite would copy pages that may be corrupt. */
function leave(failure: JournalFailure | null): null {
  if (failure?.kind === "sync-failed") port.on("message", () => undefined);
  else port.close();
  return null;
}

function handle({ database }: Open, message: Exclude<ToWorker, Commit>): null {
  if (message.type === "probe") {
    const failure = attempt(() => probe(database));
    post({ type: "probed", failure });
    hasFailed = failure?.kind === "sync-failed";
    return null;
  }
  if (message.type === "read") {
    const { namespaceId } = message;
    const give = (_: string, text: string) => post({ type: "rows", namespaceId, text });
    post({ type: "read", failure: attempt(() => readRows(database, file, give, namespaceId)) });
    return null;
  }
  // The next start reads from the log what cannot be merged now.
  const failure = attempt(() => fold(database, "truncate"));
  return failure?.kind === "sync-failed" ? fail(failure) : leave(failure);
}

/** Starts a new log, so that the probe needs space in the file and for a new log, as the next commits do. */
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
    // After some failures the transaction has already ended.
  }
}

function attempt(action: () => void): JournalFailure | null {
  try {
    action();
    return null;
  } catch (error) {
    return toFailure(error, file);
  }
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
