import type { Worker } from "node:worker_threads";
import type { TakeStored } from "./journal.ts";
import { type JournalSyncFailed, JournalUnavailable } from "./journal-errors.ts";
import type { Loading } from "./journal-loading.ts";
import type { FailpointModule } from "./journal-messages.ts";

export interface SqliteJournalOptions {
  readonly dataDir: string;
  /**
   * Called once, when a sync has failed: durability is no longer guaranteed, so the process must end immediately (by
   * SIGKILL). A clean end would close the file, which copies pages that may be corrupt.
   */
  readonly onSyncFailure?: (error: JournalSyncFailed) => void;
  /** A warning for the operator; the journal continues. */
  readonly onWarning?: (message: string) => void;
  /** For tests only. */
  readonly failpoints?: FailpointModule;
}

/**
 * The state of the journal in the main thread. sqlite-journal.ts, journal-batches.ts and journal-link.ts work on it.
 */
export interface JournalCore {
  readonly options: SqliteJournalOptions;
  readonly file: string;
  /** Why appends fail now; null: they are accepted. */
  blockedBy: Error | null;
  worker: Worker | null;
  workerEnded: Promise<void>;
  /** Abandons the worker without waiting for its end. */
  abandonWorker(): void;
  isClosing: boolean;
  syncFailure: JournalSyncFailed | null;
  /** Whether the file was loaded once. Only then a load accepts that it cannot be written. */
  hasLoaded: boolean;
  /** Why nothing can be written to the loaded file; null: it can. */
  readOnly: JournalUnavailable | null;
  /** Why the journal failed permanently. */
  givenUp: JournalUnavailable | null;
  loading: Loading | null;
  underway: { readonly take: TakeStored | undefined; readonly done: Loading["done"] } | null;
  filling: Batch | null;
  sent: Batch[];
  probes: Settleable[];
  /** Loads of single namespaces, in the order of the requests. */
  readings: Loading[];
  batchNumber: number;
  pendingChanges: number;
  commits: number;
}

/** Appends that are sent together, committed together and answered by one promise. */
export interface Batch extends Settleable {
  readonly number: number;
  /** See appendText. */
  text: string;
  changeCount: number;
  /** The turn of the event loop in which it began is over: it may be sent as soon as the worker is idle. */
  isDue: boolean;
}

export interface Settleable {
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

export function createJournalCore(options: SqliteJournalOptions, file: string): JournalCore {
  return {
    options,
    file,
    blockedBy: new JournalUnavailable(`${file} is not loaded yet.`),
    worker: null,
    workerEnded: Promise.resolve(),
    abandonWorker() {},
    isClosing: false,
    syncFailure: null,
    hasLoaded: false,
    readOnly: null,
    givenUp: null,
    loading: null,
    underway: null,
    filling: null,
    sent: [],
    probes: [],
    readings: [],
    batchNumber: 0,
    pendingChanges: 0,
    commits: 0,
  };
}

/** Every current append fails, and every later one until the next load. */
export function failAll(core: JournalCore, error: Error): void {
  const failing = [...core.sent, ...(core.filling === null ? [] : [core.filling]), ...core.probes];
  const unread = core.readings;
  core.blockedBy = error;
  core.worker = null;
  core.filling = null;
  core.sent = [];
  core.probes = [];
  core.readings = [];
  core.pendingChanges = 0;
  for (const waiting of failing) waiting.reject(error);
  for (const reading of unread) reading.finish(error);
  core.loading?.finish(error);
  core.loading = null;
}

export function settleable(): Settleable {
  let resolve = () => {};
  let reject = (_: Error) => {};
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // A waiting caller sees the failure. Without one the rejection must not end the process.
  done.catch(() => undefined);
  return { done, resolve, reject };
}
