import { Ajv, type ValidateFunction } from "ajv";
import type { FastifyInstance } from "fastify";
import type { Schema } from "../operations/cloud/schema-issues.ts";
import { isTimestamp } from "../operations/cloud/timestamps.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { Refused } from "./errors.ts";
import { issuesMax, listIssues } from "./schema-issues.ts";

// The first issue shows that a body is invalid; the others are searched afterwards, and only as many as are shown.
const bodies = createAjv({ allErrors: false, coerceTypes: false });
// Every parameter has to be read, valid or not, and there are never many.
const queries = createAjv({ allErrors: true, coerceTypes: true });

/**
 * Bodies are not converted; query parameters are text and may become numbers and booleans. A schema is compiled when it is first
 * used, and once for all services of the process: there are hundreds, and every start would wait for them.
 */
export function useStrictValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    // Ajv compiles a schema that it knows only once.
    httpPart === "body"
      ? createCheck("body", schema as Schema, () => bodies.compile(schema))
      : createCheck("query", schema as Schema, () => queries.compile(schema)),
  );
}

function createAjv(more: { allErrors: boolean; coerceTypes: boolean }): Ajv {
  const ajv = new Ajv({
    ...more,
    useDefaults: false,
    removeAdditional: false,
    allowUnionTypes: true,
    // Tests check that Foyer's schemas are valid; a check at each start would take time.
    meta: false,
    validateSchema: false,
  });
  ajv.addFormat("date-time", { type: "string", validate: isTimestamp });
  return ajv;
}

function createCheck(part: "body" | "query", schema: Schema, compile: () => ValidateFunction) {
  let fits: ValidateFunction | undefined;
  return (given: unknown): true | { error: Refused } => {
    const value = part === "query" ? dropManyUnknown(given, schema) : given;
    fits ??= compile();
    const isFit = fits(value) && (part === "body" || hasNumbersInRange(value));
    return isFit ? true : { error: new Refused(shapeRefusal(part, schema, value)) };
  };
}

/** Ajv reads `1e999` as the number Infinity and compares it with no minimum or maximum. */
function hasNumbersInRange(query: unknown): boolean {
  for (const value of Object.values(query as Readonly<Record<string, unknown>>)) {
    if (typeof value === "number" && !Number.isFinite(value)) return false;
  }
  return true;
}

/** The parameters that the operation knows, and as many unknown ones as the answer names. */
function dropManyUnknown(query: unknown, { properties = {} }: Schema): unknown {
  // Fastify's parser turns every query into an object.
  const given = query as Readonly<Record<string, unknown>>;
  const names = Object.keys(given);
  if (names.length <= issuesMax) return query;
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const kept = [...names.filter(isKnown), ...names.filter((name) => !isKnown(name)).slice(0, issuesMax)];
  return Object.fromEntries(kept.map((name) => [name, given[name]]));
}

function shapeRefusal(part: "body" | "query", schema: Schema, value: unknown): Refusal {
  const errors = listIssues(schema, value);
  const first = errors[0] ? `${errors[0].path.join(".")} ${errors[0].message}`.trim() : "";
  // The search stops at the number that is shown, so there may be more.
  const count = `${errors.length < issuesMax ? "" : "at least "}${errors.length}`;
  const message =
    errors.length === 1
      ? `The ${part} is invalid: ${first}.`
      : `The ${part} is invalid; see \`errors\`. The first of ${count}: ${first}.`;
  return refuse(part === "body" ? "API_BAD_BODY" : "API_BAD_QUERY", message, { errors });
}
