import { createHmac, timingSafeEqual } from "node:crypto";
import type { RawHeaders } from "./headers.ts";

/** The header with which a node proves to another that it passed a request on. */
export const nodeHeader = "x-foyer-node";

/** How far the time in a proof may be from the receiver's, in milliseconds. */
const validMs = 30_000;

export interface NodeProofs {
  /** The header for a request that goes to another node. */
  prove(): RawHeaders;
  /** Whether a node of this installation wrote the header, a moment ago. */
  check(header: string | string[] | undefined): boolean;
}

/** A proof is the time, the node that passes the request on, and an HMAC of both with the installation's secret. */
export function createNodeProofs(parts: {
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  readonly nodeId: string;
  now(): number;
}): NodeProofs {
  const secrets = [parts.secret, ...(parts.previousSecret === null ? [] : [parts.previousSecret])];
  return {
    prove() {
      const claim = `${parts.now()} ${parts.nodeId}`;
      return [nodeHeader, `${claim} ${seal(parts.secret, claim)}`];
    },
    check(header) {
      if (typeof header !== "string") return false;
      const end = header.lastIndexOf(" ");
      const claim = header.slice(0, Math.max(0, end));
      const at = /^(\d{1,15}) \S+$/.exec(claim)?.[1];
      if (at === undefined || Math.abs(parts.now() - Number(at)) > validMs) return false;
      const given = Buffer.from(header.slice(end + 1));
      return secrets.some((secret) => {
        const expected = Buffer.from(seal(secret, claim));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

function seal(secret: Buffer, claim: string): string {
  return createHmac("sha256", secret).update("gateway\0").update(claim).digest("base64url");
}
