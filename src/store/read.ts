import type { Compilable, Kysely } from "kysely";
import type { Db } from "./db.ts";
import type { Tables } from "./tables.ts";

/** A select that is compiled once per store and then only run, for reads of every request. */
export interface PreparedRead<Row> {
  readonly name: string;
  /** Called with placeholders; `readRows` replaces them with its parameters, in the same order. */
  readonly build: (query: Kysely<Tables>) => Compilable<Row>;
}

/** The placeholder for a parameter in `build`. */
export const parameter = "";

export async function readRows<Row>(
  db: Db,
  read: PreparedRead<Row>,
  parameters: readonly (string | number)[],
): Promise<Row[]> {
  let text = db.readTexts.get(read.name);
  if (text === undefined) {
    const compiled = read.build(db.query).compile();
    if (compiled.parameters.length !== parameters.length) {
      throw new Error(
        `The read ${read.name} takes ${compiled.parameters.length} parameters, not ${parameters.length}.`,
      );
    }
    text = compiled.sql;
    db.readTexts.set(read.name, text);
  }
  // The row's type is what the query builder says it selected.
  return (await db.rows(read.name, text, parameters)) as Row[];
}

export async function readRow<Row>(
  db: Db,
  read: PreparedRead<Row>,
  parameters: readonly (string | number)[],
): Promise<Row | null> {
  const rows = await readRows(db, read, parameters);
  return rows[0] ?? null;
}
