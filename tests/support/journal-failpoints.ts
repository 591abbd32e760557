import type { FailpointHooks } from "../../src/engine/memory/journal-messages.ts";

/** What goes wrong in a journal's worker thread, and when. Commits and probes are counted from 1 for each thread. */
export interface JournalFailpoints {
  readonly steps?: readonly FailpointStep[];
  /** Makes the file as if the disk were full at this many pages. */
  readonly pagesMax?: number;
}

export interface FailpointStep {
  readonly on: Parameters<FailpointHooks["reached"]>[0];
  readonly number: number;
  /** Before the changes are on disk, or after that but before it is reported. */
  readonly when: Parameters<FailpointHooks["reached"]>[1];
  readonly what: /** As if SQLite had failed with this extended result code. */
    | { readonly type: "fail"; readonly code: number }
    /** Waits until the test opens the gate: a slow disk, or, if it never does, one that does not answer. */
    | { readonly type: "hold"; readonly gate: Int32Array }
    /** The thread ends at once. */
    | { readonly type: "die" };
}

/** The option of the journal that makes its worker load this file with these settings. */
export function failpoints(settings: JournalFailpoints) {
  return { failpoints: { module: import.meta.url, settings } };
}

/** Called in the worker thread, which loads this file by its address. @public */
export function createFailpoints({ steps = [], pagesMax }: JournalFailpoints): FailpointHooks {
  const counts = { commit: 0, probe: 0, checkpoint: 0 };
  return {
    opened(database) {
      if (pagesMax !== undefined) database.exec(`pragma max_page_count = ${pagesMax}`);
    },
    reached(on, when) {
      if (when === "before") counts[on] += 1;
      for (const step of steps) if (step.on === on && step.when === when && step.number === counts[on]) fail(step.what);
    },
  };
}

function fail(what: FailpointStep["what"]): void {
  if (what.type === "fail") throw Object.assign(new Error("a failure that a test asked for"), { errcode: what.code });
  if (what.type === "die") process.exit(1);
  // Two cells: the worker says in the second that it has arrived, the test opens by writing to the first.
  Atomics.store(what.gate, 1, 1);
  Atomics.notify(what.gate, 1);
  Atomics.wait(what.gate, 0, 0);
}
