import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../contract/define.ts";
import { bodyValuesMax, playerBodyValuesMax } from "../ground/limits.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { parseJson } from "./body.ts";
import type { Connections } from "./connections.ts";
import { Refused, unsupportedMediaType } from "./errors.ts";
import { listIssues } from "./schema-issues.ts";

/**
 * Replaces Fastify's body parsers with one that accepts only strict JSON (docs/decisions/0004). An empty body counts as
 * absent.
 */
export function readBody(app: FastifyInstance, whenTimely: Connections["whenTimely"]): void {
  function parse(request: FastifyRequest, body: Buffer, done: (error: Error | null, value?: unknown) => void): void {
    const parsed = isUntyped(request.headers) ? null : parseJson(body, valuesMaxOf(request, body));
    if (parsed === null) done(new Refused(unsupportedMediaType()));
    else if ("issue" in parsed) done(new Refused(refuse("API_BAD_BODY", parsed.issue)));
    else done(null, parsed.value);
  }

  app.removeAllContentTypeParsers();
  // Named although `*` covers it: Fastify caches a parser of that name, and searches for `*` at each request.
  app.addContentTypeParser<Buffer>(["application/json", "*"], { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else if (body.length <= quickBytes) parse(request, body, done);
    // Several of them together would delay the requests of all clients.
    else whenTimely(request, () => parse(request, body, done));
  });
}

/** Bodies up to this size are parsed when they arrive. Almost all are smaller. */
const quickBytes = 8 * 1024;

function valuesMaxOf(request: FastifyRequest, body: Buffer): number {
  // No body has more values than bytes, and Fastify makes the options of a route at each call.
  if (body.length <= playerBodyValuesMax) return playerBodyValuesMax;
  return request.routeOptions.config.bodyValuesMax ?? bodyValuesMax;
}

/** Without a type the body must be empty, and the length of a chunked body is known only at its end. */
const isUntyped = (headers: IncomingHttpHeaders) => headers["content-type"] === undefined;

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return (length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined;
}

/** Fastify checks the type even of an absent body, and refuses an invalid type. */
export function dropContentTypeOfEmptyBody(headers: IncomingHttpHeaders): void {
  if (headers["content-type"] !== undefined && !hasBody(headers)) headers["content-type"] = undefined;
}

/** The rest of the body is neither awaited nor read. */
export function dropBody(headers: IncomingHttpHeaders): void {
  if (headers["content-type"] !== undefined) headers["content-type"] = undefined;
  if (!hasBody(headers)) return;
  headers["content-length"] = undefined;
  headers["transfer-encoding"] = undefined;
}

/** A refusal when there is a body that is not declared to be JSON in UTF-8. */
export function checkBodyType({ headers }: FastifyRequest): Refusal | null {
  const type = headers["content-type"];
  if (!hasBody(headers)) return null;
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    return refuse("API_UNSUPPORTED_MEDIA_TYPE", "Send the body without a Content-Encoding.");
  }
  if (type === "application/json" || (type === undefined && headers["transfer-encoding"] !== undefined)) return null;
  const isJson =
    type !== undefined && /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*|;(?!\s*charset)[^;]*)*$/i.test(type);
  return isJson ? null : unsupportedMediaType();
}

/** A refusal when a body is missing, or is present although the operation has none. */
export function checkBody(operation: Operation, request: FastifyRequest): Refusal | null {
  const { body } = request;
  if (operation.body) {
    if (body !== undefined || operation.bodyOptional) return null;
    return refuse("API_BAD_BODY", "The operation needs a JSON body.");
  }
  // Clients that always send a body send `{}` where none is needed.
  if (body === undefined || body === null) return null;
  const isObject = typeof body === "object" && !Array.isArray(body);
  const fields = isObject ? Object.keys(body) : [];
  if (isObject && fields.length === 0) return null;
  const errors = listIssues(noFields, isObject ? body : {});
  return refuse("API_BAD_BODY", "The operation has no body.", { errors });
}

const noFields = { properties: {}, additionalProperties: false } as const;
