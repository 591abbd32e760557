import { type Changes, changeLine, type StoredRecord } from "../../src/matchmaker/changes.ts";
import { type Entity, entities } from "../../src/matchmaker/schema.ts";

/** One change by itself. A null row: the record is gone. */
export interface Change {
  readonly entity: Entity;
  readonly id: string;
  readonly row: StoredRecord["row"] | null;
}

/** Changes as a command gives them to the journal. */
export function toChanges(changes: readonly Change[]): Changes {
  const lines = changes.map(({ entity, id, row }) => changeLine(entity, id, row === null ? null : JSON.stringify(row)));
  return { count: changes.length, text: lines.join("") };
}

/** What a command gave to the journal, one by one. */
export function readChanges({ text }: Changes): Change[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [entity, id, row] = line.split("\t") as [string, string, string];
      return { entity: entities[Number(entity)]!, id: JSON.parse(id), row: row === "" ? null : JSON.parse(row) };
    });
}
