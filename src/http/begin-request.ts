import type { FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../operations/refusal.ts";
import { checkHeaders } from "./check-headers.ts";
import { setCorsHeaders } from "./cors.ts";
import { sendRefusal } from "./errors.ts";
import { dropBody, dropContentTypeOfEmptyBody, hasBody } from "./request-body.ts";

export interface BeginParts {
  readonly publicUrl: string | null;
  /** Why the request is rejected; null: it is accepted. */
  turnAway(request: FastifyRequest): Parameters<typeof sendRefusal>[2] | null;
  /** Nothing has this path; said before the request is answered. */
  countMiss(request: FastifyRequest, reply: FastifyReply): void;
  /** What the path of a request allows whose method no path allows; null: nothing has this path. */
  allowedAt(request: FastifyRequest): readonly string[] | null;
  answerMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): void;
  /** The request has no body to wait for, so it counts as in flight from now on. */
  count(request: FastifyRequest): void;
}

/** The first steps of every request, for any path. */
export interface BeginRequest {
  /** The first hook: sets the headers of every answer, then refuses invalid requests before their route runs. */
  begin(request: FastifyRequest, reply: FastifyReply, done: () => void): void;
  /** The path cannot be decoded. */
  refuseBadPath(request: FastifyRequest, reply: FastifyReply): void;
}

export function createBeginRequest(parts: BeginParts): BeginRequest {
  const { publicUrl, turnAway, countMiss, count } = parts;

  function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("cache-control", "no-store");
    setCorsHeaders(request, reply, publicUrl);
  }

  return {
    refuseBadPath(request, reply) {
      setCommonHeaders(request, reply);
      countMiss(request, reply);
      sendNotFound(request, reply);
    },
    begin(request, reply, done) {
      setCommonHeaders(request, reply);
      const badHeader = checkHeaders(request.raw);
      if (badHeader !== null) {
        // A proxy may disagree about where its body ends, so nothing after it is read.
        reply.header("connection", "close");
        sendRefusal(reply, request.id, refuse("API_BAD_HEADER", badHeader));
        return;
      }
      // Fastify makes the options of a route at each call.
      const { config, url } = request.routeOptions;
      if (config?.operationId !== undefined) dropContentTypeOfEmptyBody(request.headers);
      // The service's own pages take no fields, so there is nothing to wait for.
      else dropBody(request.headers);
      const allowed = request.is404 ? parts.allowedAt(request) : null;
      if ((request.is404 && !allowed) || hasEmptyPart(request)) {
        countMiss(request, reply);
        sendNotFound(request, reply);
        return;
      }
      const refusal = url === "/healthz" ? null : turnAway(request);
      if (refusal) return void sendRefusal(reply, request.id, refusal);
      if (allowed) return parts.answerMethod(request, reply, allowed);
      if (!hasBody(request.headers)) count(request);
      done();
    },
  };
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split("?", 1)[0]!;
  const message = `Unknown path ${path.slice(0, 200)}. See /docs for all operations.`;
  return sendRefusal(reply, request.id, refuse("API_NOT_FOUND", message));
}

/** Whether an id or a name is empty: `/cloud/games/` is not the path of a game. The rest of a page's address may be. */
function hasEmptyPart({ url, params }: FastifyRequest): boolean {
  if (!url.includes("//") && !/\/(?:\?|$)/.test(url)) return false;
  const { "*": _, ...parts } = params as Record<string, string>;
  return Object.values(parts).includes("");
}
