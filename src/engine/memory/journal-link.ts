import { startThread } from "../../ground/thread.ts";
import { finishBatches } from "./journal-batches.ts";
import { failAll, type JournalCore } from "./journal-core.ts";
import { JournalSyncFailed, JournalUnavailable, toError } from "./journal-errors.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./journal-messages.ts";

/** Starts and stops the worker thread and handles its messages, on the main thread. */

export function startWorker(core: JournalCore): void {
  const { file, options } = core;
  const settings: WorkerSettings = { file, mayBeReadOnly: core.hasLoaded, failpoints: options.failpoints ?? null };
  const started = startThread(new URL("./journal-worker", import.meta.url), "foyer-journal", settings);
  let cause: unknown;
  core.worker = started;
  core.workerEnded = new Promise((resolve) => {
    core.abandonWorker = () => {
      started.unref();
      resolve();
    };
    started.on("message", (message: FromWorker) => receive(core, message));
    started.on("error", (error) => {
      cause = error;
    });
    started.on("exit", (code) => {
      // Ignored if the thread was asked to end or has reported why it ends.
      if (core.worker === started) {
        failAll(core, new JournalUnavailable(`The thread that writes ${file} has ended (${code}).`, { cause }));
      }
      resolve();
    });
  });
}

export async function stopWorker(core: JournalCore): Promise<void> {
  core.worker?.postMessage({ type: "close" } satisfies ToWorker);
  core.worker = null;
  await core.workerEnded;
}

function receive(core: JournalCore, message: FromWorker): void {
  // The thread loads everything before it handles the first message.
  if (message.type === "rows") (core.loading ?? core.readings[0])?.add(message.namespaceId, message.text);
  else if (message.type === "warning") core.options.onWarning?.(message.message);
  else if (message.type === "committed") finishBatches(core, message.throughBatch);
  else if (message.failure === null) {
    if (message.type === "loaded") finishLoading(core, message.isReadOnly);
    else if (message.type === "read") core.readings.shift()?.finish(null);
    else core.probes.shift()?.resolve();
  } else {
    const error = noteSyncFailure(core, toError(message.failure));
    if (message.type === "probed" && core.syncFailure === null) core.probes.shift()?.reject(error);
    else if (message.type === "read") core.readings.shift()?.finish(error);
    else failAll(core, error);
  }
}

function finishLoading(core: JournalCore, isReadOnly: boolean): void {
  const failure = core.loading?.finish(null) ?? null;
  core.loading = null;
  core.hasLoaded ||= failure === null;
  core.readOnly = isReadOnly ? new JournalUnavailable(`${core.file} cannot be written.`) : null;
  if (!core.isClosing) core.blockedBy = failure ?? core.readOnly;
  // The thread of a file that cannot be written ends by itself.
  if (isReadOnly) core.worker = null;
  else if (failure !== null) void stopWorker(core);
}

function noteSyncFailure(core: JournalCore, error: Error): Error {
  if (error instanceof JournalSyncFailed && core.syncFailure === null) {
    core.syncFailure = error;
    core.abandonWorker();
    core.options.onSyncFailure?.(error);
  }
  return error;
}
