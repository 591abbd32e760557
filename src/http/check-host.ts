import type { IncomingMessage } from "node:http";
import type { Config } from "../config/config.ts";
import { isLoopback, isOwnName } from "../ground/local-host.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { isEncrypted } from "./cors.ts";

/** Null: the host is allowed. */
export type CheckHost = (request: IncomingMessage) => Refusal | null;

/**
 * A service that listens only on this machine refuses pages that reach it under another name. With TLS, so does its port
 * for plain HTTP, which is open on this machine only.
 */
export function createCheckHost(
  config: Pick<Config, "host" | "publicUrl" | "lobbyApiEndpoint" | "tlsCert">,
  otherUrls: readonly (string | null)[] = [],
): CheckHost {
  const isLoopbackOnly = isLoopback(config.host);
  const urls = [config.publicUrl, config.lobbyApiEndpoint, ...otherUrls].filter((url) => url !== null);
  const names = new Set(urls.map((url) => new URL(url).hostname));
  /** Nearly every request has the same one. */
  let lastGoodHost: string | undefined;

  return (request) => {
    const { host } = request.headers;
    if (host === undefined || host === lastGoodHost) return null;
    if (!isLoopbackOnly && (config.tlsCert === null || isEncrypted(request))) return null;
    if (isOwnName(host) || names.has(host.replace(/:\d+$/, "").toLowerCase())) {
      lastGoodHost = host;
      return null;
    }
    const message =
      "The service listens only on this machine and does not accept this host. If the host is right, set FOYER_PUBLIC_URL.";
    return refuse("API_WRONG_HOST", message);
  };
}
