import type { Transaction } from "kysely";
import { type Change, write } from "./cache.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

type Work<Outcome> = (transaction: Transaction<Tables>, undo: (outcome: Outcome) => Undone) => Promise<Outcome>;

/**
 * All of the work happens or none of it. `throw undo(outcome)` takes it back and makes `outcome` the answer. `change` says
 * what the work changes unless it is taken back; the work may add to a list of ids.
 */
export function transact<Outcome extends string | boolean>(
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
    return db.query
      .transaction()
      .execute((transaction) => work(transaction, undo))
      .catch(answer);
  };
  return write(db, attempt, () => (isUndone ? null : change));
}

class Undone extends Error {
  override readonly message = "The transaction was undone on purpose.";
}
