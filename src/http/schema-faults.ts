import type { ErrorObject } from "ajv";
import type { Fault } from "../operations/names.ts";
import { schemaFaults } from "../operations/schema-faults.ts";

/**
 * Ajv's errors as the `errors` of an error body: `path` is the field, also of a missing or unknown one. Nobody reads
 * more than the first hundred, and an answer should not be many times as long as its request.
 */
export function faultsOf(errors: readonly ErrorObject[], root: unknown): Fault[] {
  return schemaFaults(errors, root)
    .slice(0, faultsMax)
    .map(({ place, message }) => ({ path: place, message }));
}

const faultsMax = 100;
