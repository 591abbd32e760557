import type { IncomingMessage } from "node:http";
import type { Config } from "../config/config.ts";
import type { Admission, CheckEdge } from "../gateway/admit.ts";
import { type NodeProofs, nodeHeader } from "../gateway/node-proof.ts";
import { type Refusal, refuse } from "../operations/refusal.ts";
import { checkHeaders } from "./check-headers.ts";
import { createCheckHost } from "./check-host.ts";
import type { ClientAddress, ReadAddress } from "./client-address.ts";
import { isEncrypted } from "./cors.ts";
import { isCounted } from "./limits.ts";
import type { RateLimits } from "./rate-limits.ts";

/** The checks of the service for requests to lobbies: headers, stopping, host, limits of the address. */
export function createLobbyEdge(parts: {
  readonly config: Config;
  readonly readAddress: ReadAddress;
  readonly rates: Pick<RateLimits, "countAddress">;
  readonly proofs: Pick<NodeProofs, "check">;
  /** The service checks the host of requests that are not for lobbies, and knows more hosts than this process. */
  readonly asksService?: boolean;
  /** Why requests are rejected now; null: they are accepted. */
  turnAway(): Refusal | null;
}): CheckEdge {
  const { config, readAddress } = parts;
  const checkHost = createCheckHost(config, [config.gatewayUrl]);
  /** The other node wrote the address of one client. */
  const readPassedOn = ({ headers }: IncomingMessage): ClientAddress => ({
    ...readAddress(String(headers["x-forwarded-for"] ?? ""), {}),
    isDirectLoopback: false,
    isForwarded: true,
  });

  return (request) => {
    const badHeader = checkHeaders(request);
    if (badHeader !== null) return refuse("API_BAD_HEADER", badHeader);
    const refusal = parts.turnAway();
    if (refusal !== null) return refusal;
    if (parts.proofs.check(request.headers[nodeHeader])) return toAdmission(request, readPassedOn(request), null, true);
    const wrongHost = checkHost(request);
    if (wrongHost !== null && !parts.asksService) return wrongHost;
    const address = readAddress(request.socket.remoteAddress ?? "", request.headers);
    if (!address.isDirectLoopback) {
      const tooMany = parts.rates.countAddress({ id: address.client, network: address.network });
      if (tooMany !== null) return tooMany;
    }
    return toAdmission(request, address, wrongHost, false);
  };
}

function toAdmission(
  request: IncomingMessage,
  address: ClientAddress,
  wrongHost: Refusal | null,
  isPassedOn: boolean,
): Admission {
  const isBelieved = isPassedOn || address.isTrustedProxy;
  const { "x-forwarded-proto": proto, "x-forwarded-host": forwardedHost, host = "" } = request.headers;
  const isSecure = isEncrypted(request) || (isBelieved && proto === "https");
  return {
    client: address.client,
    network: address.network,
    isCounted: isCounted(address),
    isLocal: address.isDirectLoopback,
    wrongHost,
    isPassedOn,
    forwarded: {
      for: address.address,
      proto: isSecure ? "https" : "http",
      host: isBelieved && typeof forwardedHost === "string" ? forwardedHost : host,
    },
  };
}
