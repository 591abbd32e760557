import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { Entity } from "../../matchmaker/state.ts";
import type { Journal, TakeStored } from "./journal.ts";
import { errorOf, JournalSyncFailed, JournalUnavailable } from "./journal-errors.ts";
import { createLoading, type Loading } from "./journal-loading.ts";
import { type Append, entities, type FailpointModule, type FromWorker, type ToWorker } from "./journal-messages.ts";
import { startThread } from "./journal-thread.ts";

export interface SqliteJournal extends Journal {
  /** Changes that are not on the disk yet. */
  pendingChanges(): number;
  /** So many changes wait that the disk cannot be keeping up: new work should be refused before it is decided. */
  isBehind(): boolean;
  /** Nothing that is written is kept any more: everything under way fails, and so does everything that comes. */
  giveUp(reason: string): void;
  /** How many group commits there were, for measuring. */
  commitCount(): number;
}

export interface SqliteJournalOptions {
  readonly dataDir: string;
  /**
   * Called once, when a sync has failed: nothing can be promised any more, so the process must end, and at once
   * (by SIGKILL): an orderly end closes the file, which copies pages that may no longer be what was written.
   */
  readonly onSyncFailure?: (error: JournalSyncFailed) => void;
  /** Something that the operator should know, and that stops nothing. */
  readonly onWarning?: (message: string) => void;
  /** For tests only. */
  readonly failpoints?: FailpointModule;
}

export const journalFileName = "lobbies.db";

/** About half a second's worth for a disk that keeps up, and some 20 MB. */
const pendingChangesMax = 50_000;

/** Appends that are sent together, committed together and answered by one promise. */
interface Batch extends Settleable {
  readonly number: number;
  readonly appends: Append[];
  changeCount: number;
  /** The turn of the event loop in which it began is over: it may be sent as soon as the worker has nothing to do. */
  isDue: boolean;
}

interface Settleable {
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * Keeps changes in an SQLite file of the data folder. A worker thread does everything that touches the disk, so the
 * event loop never waits for it. Appends that come while a commit is running share the next one.
 */
export function createSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const file = join(options.dataDir, journalFileName);
  const closed = new JournalUnavailable(`The journal ${file} is closed.`);
  /** Why nothing can be appended now; null: it can. */
  let fault: Error | null = new JournalUnavailable(`${file} is not loaded yet.`);
  let worker: Worker | null = null;
  let workerEnded: Promise<void> = Promise.resolve();
  /** Gives the worker up without its end. */
  let abandonWorker = () => {};
  let isClosing = false;
  let syncFailure: JournalSyncFailed | null = null;
  /** Why it was given up for good. */
  let end: JournalUnavailable | null = null;
  let loading: Loading | null = null;
  let underway: { readonly take: TakeStored | undefined; readonly done: Loading["done"] } | null = null;
  let filling: Batch | null = null;
  let sent: Batch[] = [];
  let probes: Settleable[] = [];
  /** Of single namespaces, in the order in which they were asked for. */
  let readings: Loading[] = [];
  let batchNumber = 0;
  let pending = 0;
  let commits = 0;

  function startWorker(): void {
    const started = startThread({ file, failpoints: options.failpoints ?? null });
    let cause: unknown;
    worker = started;
    workerEnded = new Promise((resolve) => {
      abandonWorker = () => {
        started.unref();
        resolve();
      };
      started.on("message", hear);
      started.on("error", (error) => {
        cause = error;
      });
      started.on("exit", (code) => {
        // It is no longer ours when it was told to end or has told why it would.
        if (worker === started) {
          failAll(new JournalUnavailable(`The thread that writes ${file} has ended (${code}).`, { cause }));
        }
        resolve();
      });
    });
  }

  async function stopWorker(): Promise<void> {
    worker?.postMessage({ type: "close" } satisfies ToWorker);
    worker = null;
    await workerEnded;
  }

  function hear(message: FromWorker): void {
    // The thread loads everything before it takes the first message.
    if (message.type === "rows") (loading ?? readings[0])?.add(message.namespaceId, message.text);
    else if (message.type === "warning") options.onWarning?.(message.message);
    else if (message.type === "committed") finishBatches(message.throughBatch);
    else if (message.failure === null) {
      if (message.type === "loaded") finishLoading();
      else if (message.type === "read") readings.shift()?.finish(null);
      else probes.shift()?.resolve();
    } else {
      const error = noted(errorOf(message.failure));
      if (message.type === "probed" && syncFailure === null) probes.shift()?.reject(error);
      else if (message.type === "read") readings.shift()?.finish(error);
      else failAll(error);
    }
  }

  function finishLoading(): void {
    const failure = loading?.finish(null) ?? null;
    loading = null;
    if (!isClosing) fault = failure;
    if (failure !== null) void stopWorker();
  }

  function finishBatches(throughBatch: number): void {
    commits += 1;
    for (let batch = sent[0]; batch !== undefined && batch.number <= throughBatch; batch = sent[0]) {
      sent.shift();
      pending -= batch.changeCount;
      batch.resolve();
    }
    sendIfDue();
  }

  /** Everything that is under way fails, and so does everything that comes until the next load. */
  function failAll(error: Error): void {
    const failing = [...sent, ...(filling === null ? [] : [filling]), ...probes];
    const unread = readings;
    fault = error;
    worker = null;
    filling = null;
    sent = [];
    probes = [];
    readings = [];
    pending = 0;
    for (const waiting of failing) waiting.reject(error);
    for (const reading of unread) reading.finish(error);
    loading?.finish(error);
    loading = null;
  }

  function noted(error: Error): Error {
    if (error instanceof JournalSyncFailed && syncFailure === null) {
      syncFailure = error;
      abandonWorker();
      options.onSyncFailure?.(error);
    }
    return error;
  }

  function sendFilling(): void {
    if (filling === null) return;
    const { number, appends, changeCount } = filling;
    sent.push(filling);
    filling = null;
    worker?.postMessage({ type: "commit", batch: number, appends, changeCount } satisfies ToWorker);
  }

  /** While the worker commits one batch, the next one fills: a message for every few changes would cost both threads more. */
  function sendIfDue(): void {
    if (sent.length === 0 && filling?.isDue) sendFilling();
  }

  function newBatch(): Batch {
    batchNumber += 1;
    const batch: Batch = { number: batchNumber, appends: [], changeCount: 0, isDue: false, ...settleable() };
    // Requests that arrive together are handled in one turn: what they decide is sent when the turn is over.
    setImmediate(() => {
      batch.isDue = true;
      sendIfDue();
    });
    return batch;
  }

  function flush(): Promise<void> {
    const last = filling ?? sent.at(-1);
    if (last !== undefined) return last.done;
    return fault === null ? Promise.resolve() : Promise.reject(fault);
  }

  /** What was appended before is part of what is loaded; what comes meanwhile would be on top of something else. */
  async function loadAnew(take: TakeStored | undefined): Loading["done"] {
    const flushed = flush();
    if (!isClosing) fault = new JournalUnavailable(`${file} is being loaded.`);
    await flushed.catch(() => undefined);
    await stopWorker();
    if (syncFailure !== null) throw syncFailure;
    if (isClosing) throw closed;
    loading = createLoading(file, take);
    startWorker();
    return loading.done;
  }

  return {
    async load(take) {
      if (end !== null) throw end;
      while (underway !== null && underway.take !== take) await underway.done.catch(() => undefined);
      if (underway === null) {
        const done = loadAnew(take).finally(() => {
          underway = null;
        });
        underway = { take, done };
      }
      return underway.done;
    },

    append(namespaceId, changes) {
      if (fault !== null) return Promise.reject(fault);
      filling ??= newBatch();
      const append: unknown[] = [namespaceId];
      for (const { entity, id, value } of changes) append.push(entityNumbers[entity], id, value);
      filling.appends.push(append);
      filling.changeCount += changes.length;
      pending += changes.length;
      return filling.done;
    },

    probe() {
      if (fault !== null) return Promise.reject(fault);
      sendFilling();
      const probe = settleable();
      probes.push(probe);
      worker?.postMessage({ type: "probe" } satisfies ToWorker);
      return probe.done;
    },

    async loadNamespace(namespaceId) {
      if (fault !== null) throw fault;
      sendFilling();
      const reading = createLoading(file, undefined);
      readings.push(reading);
      worker?.postMessage({ type: "read", namespaceId } satisfies ToWorker);
      return (await reading.done).get(namespaceId) ?? [];
    },

    flush,

    async close() {
      if (isClosing) return workerEnded;
      isClosing = true;
      const flushed = flush();
      fault = closed;
      await flushed.catch(() => undefined);
      await underway?.done.catch(() => undefined);
      await stopWorker();
    },

    giveUp(reason) {
      if (end !== null || isClosing) return;
      end = new JournalUnavailable(reason);
      const ending = worker;
      failAll(end);
      ending?.postMessage({ type: "close" } satisfies ToWorker);
    },

    pendingChanges: () => pending,
    isBehind: () => pending > pendingChangesMax,
    commitCount: () => commits,
  };
}

const entityNumbers = Object.fromEntries(entities.map((entity, number) => [entity, number])) as Record<Entity, number>;

function settleable(): Settleable {
  let resolve = () => {};
  let reject = (_: Error) => {};
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Whoever waits hears of a failure; that nobody may be waiting is no reason to end the process.
  done.catch(() => undefined);
  return { done, resolve, reject };
}
