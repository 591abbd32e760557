import { shownPlace } from "../operations/fault-list.ts";
import type { Fault } from "../operations/names.ts";
import { type Schema, schemaFaults } from "../operations/schema-faults.ts";

/** The `errors` of an error body. Nobody reads more than the first hundred. */
export function faultsOf(schema: Schema, value: unknown): Fault[] {
  return schemaFaults(schema, value, faultsMax).map(({ place, message }) => ({ path: shownPlace(place), message }));
}

export const faultsMax = 100;
