import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A page of the service's own, which stays the same for as long as the service runs. */
export interface StoredPage {
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

type Coding = "identity" | "gzip" | "br";
type Form = { readonly bytes: Buffer; readonly etag: string };

/**
 * The bytes are created once per encoding, when a client first accepts it: a page costs the event loop only the write,
 * and nothing for a client that already has it.
 */
export function storedPage(
  type: string,
  content: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): StoredPage {
  // A copy and a hash of every page would slow down each start.
  const plain = typeof content === "string" ? Buffer.from(content) : content;
  const forms = new Map<Coding, Form>();
  let hash: string | undefined;

  function makeForm(coding: Coding): Form {
    const known = forms.get(coding);
    if (known) return known;

    hash ??= createHash("sha256").update(type).update("\0").update(plain).digest("base64url").slice(0, 22);
    const form =
      coding === "identity"
        ? { bytes: plain, etag: `"${hash}"` }
        : { bytes: compressed(plain, coding), etag: `"${hash}-${coding}"` };
    forms.set(coding, form);
    return form;
  }

  return {
    send(request, reply) {
      const coding = plain.length < worthCompressing ? "identity" : codingFor(request.headers["accept-encoding"]);
      const { bytes, etag } = makeForm(coding);
      // Clients revalidate each time; the page is sent only if it has changed. `Origin`, because of the CORS headers.
      reply.headers({ "cache-control": "no-cache", vary: "Accept-Encoding, Origin", etag, ...headers });
      if (isKnown(etag, request.headers["if-none-match"])) return reply.code(304).send();
      if (coding !== "identity") reply.header("content-encoding", coding);
      return reply.type(type).send(bytes);
    },
  };
}

const worthCompressing = 1024;

function compressed(plain: Buffer, coding: Coding): Buffer {
  if (coding === "gzip") return gzipSync(plain);
  // The best quality would take most of a second for the largest page, and save little.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  return brotliCompressSync(plain, { params });
}

/** The smallest encoding that the client accepts. */
function codingFor(accepted: string | undefined): Coding {
  if (accepted === undefined) return "identity";
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const readWeight = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  // A weight that is no number is not greater than zero.
  if (readWeight("br") > 0 && readWeight("br") >= readWeight("gzip")) return "br";
  return readWeight("gzip") > 0 ? "gzip" : "identity";
}

/** If-None-Match compares weakly, and proxies that compress mark tags as weak. */
function isKnown(etag: string, known: string | undefined): boolean {
  if (known === undefined) return false;
  return known.split(",").some((each) => {
    const tag = each.trim();
    return tag === "*" || tag === etag || tag === `W/${etag}`;
  });
}
