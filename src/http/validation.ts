import { Ajv } from "ajv";
import type { FastifyInstance } from "fastify";

/** Bodies are taken as they are; query parameters are text and may become numbers and booleans. Every fault is listed. */
export function useStrictValidation(app: FastifyInstance): void {
  const bodies = createAjv(false);
  const queries = createAjv(true);
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === "body" ? bodies : queries).compile(schema));
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes,
    useDefaults: false,
    removeAdditional: false,
    allowUnionTypes: true,
    // That our own schemas are schemas is a matter of tests; to find out at each start would make it longer.
    meta: false,
    validateSchema: false,
  });
  ajv.addFormat("date-time", { type: "string", validate: isTimestamp });
  return ajv;
}

/** RFC 3339 with a time zone; the pattern alone would let 30 February pass. */
function isTimestamp(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
