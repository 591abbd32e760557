import { join } from "node:path";
import { afterEach } from "vitest";
import { JournalSyncFailed } from "../../src/engine/memory/journal-errors.ts";
import { createSqliteJournal, journalFileName, type SqliteJournal } from "../../src/engine/memory/sqlite-journal.ts";
import type { Changes } from "../../src/matchmaker/changes.ts";
import { type Change, toChanges } from "../support/changes.ts";
import { type FailpointStep, failpoints, type JournalFailpoints } from "../support/journal-failpoints.ts";

export const namespaceId = "eeeeeeee-0000-7000-8000-00000000000e";
export const otherNamespaceId = "ffffffff-0000-7000-8000-00000000000f";

const opened: SqliteJournal[] = [];

afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
});

/** A journal that also takes changes one by one. */
export interface TestJournal extends SqliteJournal {
  append(namespaceId: string, changes: Changes | readonly Change[]): Promise<void>;
  readonly syncFailures: Error[];
}

/** A journal that is closed when the test is over. */
export function journalIn(dataDir: string, settings: JournalFailpoints = {}): TestJournal {
  const syncFailures: Error[] = [];
  const journal = createSqliteJournal({
    dataDir,
    ...failpoints(settings),
    onSyncFailure: (error) => syncFailures.push(error),
  });
  opened.push(journal);
  const append: TestJournal["append"] = (namespace, changes) =>
    journal.append(namespace, "text" in changes ? changes : toChanges(changes));
  return { ...journal, append, syncFailures };
}

export async function loadedJournal(dataDir: string, ...steps: FailpointStep[]): Promise<TestJournal> {
  const journal = journalIn(dataDir, { steps });
  await journal.load();
  return journal;
}

export const fileIn = (dataDir: string): string => join(dataDir, journalFileName);

export function player(id: string, ...facts: unknown[]): Change {
  return { entity: "player", id, row: [3, ...facts] };
}

export function gone(id: string): Change {
  return { entity: "player", id, row: null };
}

/** The ids that are stored for the namespace, in order. */
export async function storedIds(journal: SqliteJournal, namespace: string = namespaceId): Promise<string[]> {
  return ((await journal.load()).get(namespace) ?? []).map(({ id }) => id).sort();
}

/** A step that stops the worker until `open` is called; `reached` resolves when the worker is there. */
export function gate(on: FailpointStep["on"], number: number, when: FailpointStep["when"]) {
  const places = new Int32Array(new SharedArrayBuffer(8));
  const step: FailpointStep = { on, number, when, what: { type: "hold", gate: places } };
  return {
    step,
    async reached(): Promise<void> {
      while (Atomics.load(places, 1) === 0) await turn();
    },
    open(): void {
      Atomics.store(places, 0, 1);
      Atomics.notify(places, 0);
    },
  };
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const fails = (
  on: FailpointStep["on"],
  number: number,
  when: FailpointStep["when"],
  code: number,
): FailpointStep => ({
  on,
  number,
  when,
  what: { type: "fail", code },
});

// SQLite's names for them.
export const codes = { full: 13, ioWrite: 778, ioFsync: 1034, ioDirFsync: 1290 };

/** What became of a promise: "waiting", "done", or the name of its error. */
export async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  const named = (error: Error) => (error instanceof JournalSyncFailed ? "JournalSyncFailed" : error.name);
  return Promise.race([promise.then(() => "done", named), turn().then(() => "waiting")]);
}
