import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Operation } from "../contract/define.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { parseJson } from "./body.ts";
import { Refused, unsupportedMediaType } from "./errors.ts";
import { listIssues } from "./schema-issues.ts";

/** Replaces Fastify's body parsers by one that takes strict JSON only. An empty body is no body. */
export function readBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Named though `*` means it too: only a parser of that name is remembered, another is searched for at each request.
  app.addContentTypeParser(["application/json", "*"], { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (isUntyped(request.headers)) return done(new Refused(unsupportedMediaType()));
    const parsed = parseJson(body as Buffer);
    if ("issue" in parsed) return done(new Refused(refuse("API_BAD_BODY", parsed.issue)));
    done(null, parsed.value);
  });
}

/** Without a type only nothing may be sent, and the length of a body in chunks is not known before its last one. */
const isUntyped = (headers: IncomingHttpHeaders) => headers["content-type"] === undefined;

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers["content-length"];
  return (length !== undefined && length !== "0") || headers["transfer-encoding"] !== undefined;
}

/** Fastify checks the type of a body that is not there, and refuses it when it is no type at all. */
export function dropContentTypeOfEmptyBody(headers: IncomingHttpHeaders): void {
  if (headers["content-type"] !== undefined && !hasBody(headers)) headers["content-type"] = undefined;
}

/** What is still to come of it is neither waited for nor read. */
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
    return refuse("API_UNSUPPORTED_MEDIA_TYPE", "Send the body as it is, without a Content-Encoding.");
  }
  if (type === "application/json" || (type === undefined && headers["transfer-encoding"] !== undefined)) return null;
  const isJson =
    type !== undefined && /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*|;(?!\s*charset)[^;]*)*$/i.test(type);
  return isJson ? null : unsupportedMediaType();
}

/** A refusal when a body is missing, or is there and the operation takes none. */
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
  return refuse("API_BAD_BODY", "The operation takes no body.", { errors });
}

const noFields = { properties: {}, additionalProperties: false } as const;
