import type { Transaction } from "kysely";
import { insertEntry } from "./audit.ts";
import { write } from "./cache.ts";
import type { Change, Db } from "./db.ts";
import type { Tables } from "./tables.ts";

type Work<Outcome> = (transaction: Transaction<Tables>, undo: (outcome: Outcome) => Undone) => Promise<Outcome>;

/**
 * Runs the work as one transaction. `throw undo(outcome)` rolls it back and returns `outcome`. `change` says what the
 * work changes if it is not rolled back; the work may add to a list of ids. The same transaction records the work in
 * the audit log, if there is something to record.
 */
export function transact<Outcome extends string | boolean | number>(
  db: Db,
  change: Change,
  work: Work<Outcome>,
): Promise<Outcome> {
  let isUndone = false;
  const attempt = async () => {
    isUndone = false;
    let refused: { undone: Undone; outcome: Outcome } | null = null;
    const undo = (outcome: Outcome): Undone => {
      refused = { undone: new Undone(), outcome };
      return refused.undone;
    };
    const answer = (error: unknown): Outcome => {
      if (refused === null || refused.undone !== error) throw error;
      isUndone = true;
      return refused.outcome;
    };
    const pending = db.pending?.written === null ? db.pending : null;
    try {
      const { outcome, entry } = await db.query.transaction().execute(async (transaction) => ({
        outcome: await work(transaction, undo),
        entry: pending && (await insertEntry(transaction, pending)),
      }));
      if (pending) pending.written = entry;
      return outcome;
    } catch (error) {
      return answer(error);
    }
  };
  return write(db, attempt, () => (isUndone ? null : change));
}

class Undone extends Error {
  override readonly message = "The transaction was rolled back on purpose.";
}
