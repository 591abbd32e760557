import { shownPlace } from "../operations/cloud/issue-list.ts";
import type { Fault } from "../operations/cloud/names.ts";
import { type Schema, schemaFaults } from "../operations/cloud/schema-issues.ts";

/** The `errors` of an error body. Nobody reads more than the first hundred. */
export function faultsOf(schema: Schema, value: unknown): Fault[] {
  return schemaFaults(schema, value, faultsMax).map(({ place, message }) => ({ path: shownPlace(place), message }));
}

export const faultsMax = 100;
