import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorTable } from "../contract/errors.ts";
import { errorText, type Refusal, refuse } from "../operations/refusal.ts";
import { type Connections, ignore } from "./connections.ts";
import { buildCorsHeaders } from "./cors.ts";
import { jsonType } from "./errors.ts";

/** Answers that are sent before any route. */
export interface RawAnswers {
  /** Answers on a connection whose request is broken: what came was not HTTP, was too large, or came too slowly. */
  answerBroken(error: NodeJS.ErrnoException, socket: Socket): void;
  /** Answers on a connection that is refused, and closes it. */
  refuseConnection(refusal: Refusal, socket: Socket): void;
  /** Answers what node:http would answer by itself, or not at all. `allowed`: the methods that are possible somewhere. */
  answerUnroutable(server: Server, allowed: readonly string[]): void;
}

export function createRawAnswers(
  publicUrl: string | null,
  newRequestId: () => string,
  parts: Pick<Connections, "comesBehind" | "openRequest"> & { isReceiving(socket: Socket): boolean },
): RawAnswers {
  /** The headers and the body. `request` is null when the input was not valid HTTP. */
  function buildContent(refusal: Refusal, request: IncomingMessage | null) {
    const requestId = newRequestId();
    const body = errorText(refusal, requestId);
    const headers = {
      "content-type": jsonType,
      "content-length": String(Buffer.byteLength(body)),
      "x-request-id": requestId,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...buildCorsHeaders(request, publicUrl),
      connection: "close",
    };
    return { status: errorTable[refusal.code].status, headers, body };
  }

  /** A whole answer as text, for a connection that has no response object. */
  function buildText(refusal: Refusal, request: IncomingMessage | null, more: Readonly<Record<string, string>> = {}) {
    const { status, headers, body } = buildContent(refusal, request);
    const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
  }

  return {
    answerBroken(error, socket) {
      // An upload has times of its own. Node reports this once for each request.
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && parts.isReceiving(socket)) return;
      const open = parts.openRequest(socket);
      if (error.code === "ECONNRESET" || !socket.writable || open?.isStreaming) return void socket.destroy();
      // The broken input follows a request whose answer is not out; that answer is the last one.
      if (open?.raw.complete) return void parts.comesBehind(socket);
      // During an answer, another one would be read as a part of it, and after it as the answer to the next request.
      if (open?.isAnswered) return void socket.destroy();
      // It is the body that broke when there is a request whose body has not ended.
      endSoon(socket, buildText(brokenRequest(error.code ?? ""), open?.raw ?? null));
    },
    refuseConnection(refusal, socket) {
      const retryAfter = refusal.retryAfterS === null ? {} : { "retry-after": String(refusal.retryAfterS) };
      socket.write(buildText(refusal, null, retryAfter));
      socket.destroySoon();
    },
    answerUnroutable(server, allowed) {
      server.on("connect", (request, socket: Socket) => {
        ignore(socket);
        if (parts.comesBehind(socket)) return;
        const refusal = refuse("API_METHOD_NOT_ALLOWED", "CONNECT is not possible: this service is not a proxy.");
        endSoon(socket, buildText(refusal, request, { allow: allowed.join(", ") }));
      });
      server.on("checkExpectation", (request, response) => {
        if (parts.comesBehind(request.socket)) return;
        const refusal = refuse("API_BAD_HEADER", "The only expectation that can be met is 100-continue.");
        const { status, headers, body } = buildContent(refusal, request);
        response.writeHead(status, headers).end(body);
      });
    },
  };
}

const lastAnswerMs = 2_000;

/** Node no longer watches the connection, so it ends here even when its client never closes its own side. */
function endSoon(socket: Duplex, text: string): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), lastAnswerMs).unref();
}

function brokenRequest(code: string): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refuse("API_REQUEST_TIMEOUT", "The request did not arrive completely in time.");
  }
  if (code === "HPE_HEADER_OVERFLOW") return refuse("API_BAD_HEADER", "The headers are too large; 16 KiB are allowed.");
  return refuse("API_BAD_HEADER", "This is not a valid HTTP request.");
}
