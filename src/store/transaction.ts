import type { Transaction } from "kysely";
import { write } from "./cache.ts";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

/** All of the work happens or none of it. `throw undo(outcome)` takes it back and makes `outcome` the answer. */
export function transact<Outcome extends string | boolean>(
  db: Db,
  work: (transaction: Transaction<Tables>, undo: (outcome: Outcome) => Undone) => Promise<Outcome>,
): Promise<Outcome> {
  return write(db, async () => {
    let refused: { undone: Undone; outcome: Outcome } | null = null;
    const undo = (outcome: Outcome): Undone => {
      refused = { undone: new Undone(), outcome };
      return refused.undone;
    };
    const answer = (error: unknown): Outcome => {
      if (refused !== null && refused.undone === error) return refused.outcome;
      throw error;
    };
    return db.query
      .transaction()
      .execute((transaction) => work(transaction, undo))
      .catch(answer);
  });
}

class Undone extends Error {
  override readonly message = "The transaction was undone on purpose.";
}
