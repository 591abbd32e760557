import type { Changes } from "../../matchmaker/changes.ts";
import { type Batch, type JournalCore, settleable } from "./journal-core.ts";
import { appendText, type ToWorker } from "./journal-messages.ts";

/** Sends appends to the worker in batches: all of one turn of the event loop, or all that arrive during one commit. */

export function appendChanges(core: JournalCore, namespaceId: string, changes: Changes): Promise<void> {
  if (core.blockedBy !== null) return Promise.reject(core.blockedBy);
  core.filling ??= beginBatch(core);
  core.filling.text += appendText(namespaceId, changes.text);
  core.filling.changeCount += changes.count;
  core.pendingChanges += changes.count;
  return core.filling.done;
}

function beginBatch(core: JournalCore): Batch {
  core.batchNumber += 1;
  const batch: Batch = { number: core.batchNumber, text: "", changeCount: 0, isDue: false, ...settleable() };
  // Requests that arrive together are handled in one turn; their changes are sent at the end of the turn.
  setImmediate(() => {
    batch.isDue = true;
    sendIfDue(core);
  });
  return batch;
}

/** While the worker commits one batch, the next one fills: a message for every few changes would cost both threads more. */
function sendIfDue(core: JournalCore): void {
  if (core.sent.length === 0 && core.filling?.isDue) sendFilling(core);
}

export function sendFilling(core: JournalCore): void {
  if (core.filling === null) return;
  const { number, text, changeCount } = core.filling;
  core.sent.push(core.filling);
  core.filling = null;
  core.worker?.postMessage({ type: "commit", batch: number, text, changeCount } satisfies ToWorker);
}

export function finishBatches(core: JournalCore, throughBatch: number): void {
  core.commits += 1;
  for (let batch = core.sent[0]; batch !== undefined && batch.number <= throughBatch; batch = core.sent[0]) {
    core.sent.shift();
    core.pendingChanges -= batch.changeCount;
    batch.resolve();
  }
  sendIfDue(core);
}

/** Resolves when everything appended so far is durable. */
export function flushBatches(core: JournalCore): Promise<void> {
  const last = core.filling ?? core.sent.at(-1);
  if (last !== undefined) return last.done;
  return core.blockedBy === null ? Promise.resolve() : Promise.reject(core.blockedBy);
}
