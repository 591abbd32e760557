import type { FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import { isLoopback, isOwnName } from "../ground/local-host.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";

/** Null: the host is allowed. */
export type CheckHost = (request: FastifyRequest) => Refusal | null;

/** A service that listens only on this machine refuses pages that reach it under another name. */
export function createCheckHost(config: Pick<Config, "host" | "publicUrl">): CheckHost {
  const isLoopbackOnly = isLoopback(config.host);
  const publicHost = config.publicUrl === null ? null : new URL(config.publicUrl).hostname;
  /** Nearly every request has the same one. */
  let lastGoodHost: string | undefined;

  return ({ headers: { host } }) => {
    if (!isLoopbackOnly || host === undefined || host === lastGoodHost) return null;
    if (isOwnName(host) || host.replace(/:\d+$/, "").toLowerCase() === publicHost) {
      lastGoodHost = host;
      return null;
    }
    const message =
      "The service listens only on this machine and does not accept this host. If the host is right, set FOYER_PUBLIC_URL.";
    return refuse("API_WRONG_HOST", message);
  };
}
