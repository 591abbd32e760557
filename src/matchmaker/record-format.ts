import type { Field } from "./field-kinds.ts";
import { keyFields, lobbyFields, namespaceFields, playerFields } from "./schema.ts";

/** Rows before this format had other layouts, see old-rows.ts. */
const firstFormat = 3;

/**
 * The number of the format in which this Foyer writes records: that of the newest field. Each row of the journal carries
 * it, and Redis says which one is in use.
 */
export const recordFormat = Math.max(
  firstFormat,
  ...[lobbyFields, playerFields, keyFields, namespaceFields].flatMap((fields) => Object.values(fields).map(readSince)),
);

export function readSince({ since = 1 }: Field): number {
  return since;
}
