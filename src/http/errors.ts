import type { FastifyReply, FastifyRequest } from "fastify";
import { errorTable } from "../contract/errors.ts";
import { isUnavailable } from "../ground/unavailable.ts";
import { errorText, type Refusal, refuse } from "../operations/refusal.ts";

export const jsonType = "application/json; charset=utf-8";

declare module "fastify" {
  interface FastifyInstance {
    isStopping(): boolean;
  }
}

/** A refusal on its way to the error handler, from where a handler's return value is out of reach. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.name = "Refused";
    this.refusal = refusal;
  }
}

export function sendRefusal(reply: FastifyReply, requestId: string, refusal: Refusal): FastifyReply {
  const { status } = errorTable[refusal.code];
  reply.code(status);
  endIfStopping(reply);
  if (refusal.retryAfterS !== null) reply.header("retry-after", String(refusal.retryAfterS));
  if (status === 401) {
    // A wrong sign-in code is an invalid token that was not sent as one.
    const wasSent = refusal.code !== "TOKEN_MISSING" && reply.request.headers.authorization !== undefined;
    reply.header("www-authenticate", wasSent ? 'Bearer error="invalid_token"' : "Bearer");
  }
  return reply.type(jsonType).send(errorText(refusal, requestId));
}

/** A client that was answered while the service stops should not send its next request into a closed connection. */
export function endIfStopping(reply: FastifyReply): void {
  if (reply.server.isStopping()) reply.header("connection", "close");
}

/** Turns an error of the store, the framework or a bug into an answer without details. */
export function toRefusal(error: unknown, { headers, routeOptions }: FastifyRequest): Refusal {
  if (error instanceof Refused) return error.refusal;
  if (isUnavailable(error)) {
    const message = "The data store is temporarily unavailable. Try again shortly.";
    return refuse("API_UNAVAILABLE", message, { retryAfterS: 1 });
  }
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    if (headers["content-type"] === undefined) return unsupportedMediaType();
    return refuse("API_BODY_TOO_LARGE", `The body is larger than the ${routeOptions.bodyLimit / 1024} KiB taken here.`);
  }
  if (statusCode === 415) return unsupportedMediaType();
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH") {
    return refuse("API_BAD_BODY", "The body is not as long as Content-Length says.");
  }
  return refuse("API_INTERNAL", "Internal server error. The server log has details under this request id.");
}

export function unsupportedMediaType(): Refusal<"API_UNSUPPORTED_MEDIA_TYPE"> {
  return refuse("API_UNSUPPORTED_MEDIA_TYPE", "Send the body as Content-Type: application/json, in UTF-8.");
}
