import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RawBody } from "../contract/define.ts";
import { uploadMaxMs, uploadPieceBytes, uploadPieceMs } from "../ground/limits.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { Refused } from "./errors.ts";
import { type BodySource, readAsItComes } from "./raw-body.ts";
import { dropBody, hasBody } from "./request-body.ts";

/** Bodies that handlers read while they arrive. They take as long as they need, within limits of their own. */
export interface Uploads {
  /** A refusal when the request has no body, or one that cannot be accepted. Fastify reads nothing of it afterwards. */
  check(request: FastifyRequest): Refusal | null;
  /** The body of a checked request. */
  open(request: FastifyRequest, reply: FastifyReply): RawBody;
  /** The limit of node:http for whole requests does not apply to this connection now. */
  isReceiving(socket: Socket): boolean;
  /** The service stops: ends all that are under way. */
  endAll(refusal: Refusal): void;
}

/** How long what still comes is read and dropped after the answer, so that the client gets to read the answer. */
const lingerMs = 2_000;

declare module "fastify" {
  interface FastifyRequest {
    /** Of a raw body, what Content-Length says. */
    declaredBytes: number | null;
  }
}

export function createUploads(maxBytes: number): Uploads {
  const open = new Map<Socket, BodySource>();
  const tooLarge = () =>
    refuse("API_BODY_TOO_LARGE", `The body is larger than the ${maxBytes / 1024 / 1024} MiB of build_max_mib.`);

  return {
    check(request) {
      const { headers } = request;
      if ((headers["content-encoding"] ?? "identity") !== "identity") {
        return refuse("API_UNSUPPORTED_MEDIA_TYPE", "Send the archive without a Content-Encoding.");
      }
      const declared = headers["content-length"] === undefined ? null : Number(headers["content-length"]);
      if (declared !== null && declared > maxBytes) return tooLarge();
      if (!hasBody(headers)) return refuse("API_BAD_BODY", "The operation needs a body: the bytes of the archive.");
      request.declaredBytes = declared;
      dropBody(headers);
      return null;
    },
    open(request, reply) {
      const { raw } = request;
      const source = readAsItComes(raw, {
        pieceBytes: uploadPieceBytes,
        pieceMs: uploadPieceMs,
        maxMs: uploadMaxMs,
        maxBytes,
        tooLarge: () => new Refused(tooLarge()),
        tooSlow: () => new Refused(refuse("API_REQUEST_TIMEOUT", tooSlowMessage)),
      });
      open.set(raw.socket, source);
      reply.raw.once("finish", () => {
        source.drop();
        endLater(raw);
      });
      reply.raw.once("close", () => {
        source.drop();
        open.delete(raw.socket);
      });
      return { declaredBytes: request.declaredBytes, chunks: source.chunks };
    },
    isReceiving: (socket) => open.has(socket),
    endAll(refusal) {
      for (const source of open.values()) source.fail(new Refused(refusal));
    },
  };
}

const tooSlowMessage = `The body came too slowly: at least ${uploadPieceBytes / 1024} KiB must arrive in every ${uploadPieceMs / 1000} s, and all of it within ${uploadMaxMs / 60_000} minutes.`;

/** The answer came before the end of the body. */
function endLater(raw: IncomingMessage): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs).unref();
  raw.once("end", () => clearTimeout(timer));
}
