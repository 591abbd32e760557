import { isIPv6 } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";
import { connectionQueueMax } from "../ground/limits.ts";
import type { Logger } from "../ground/log.ts";
import type { ReadAddress } from "./client-address.ts";
import { createClientShares } from "./limits.ts";
import { createTlsListener, type TlsListener } from "./tls-listener.ts";

export interface ServiceUrls {
  /** For players and operators. */
  readonly url: string;
  /** For the lobbies of this machine. */
  readonly localUrl: string;
}

/** Opens the port. With TLS there are two: https on the configured one, and plain HTTP for this machine's lobbies. */
export async function listen(config: Config, app: FastifyInstance, tls: TlsListener | null): Promise<ServiceUrls> {
  const { host, port, publicUrl, localPort, redisUrl } = config;
  if (tls === null) {
    const address = await app.listen({ host, port, backlog: connectionQueueMax });
    // With several nodes, lobbies reach the others under the public address when their own is down.
    return { url: publicUrl ?? address, localUrl: redisUrl === null ? address : (publicUrl ?? address) };
  }
  const localUrl = await app.listen({ host: "127.0.0.1", port: localPort, backlog: connectionQueueMax });
  const openPort = await tls.listen(host, port);
  return { url: publicUrl ?? `https://${nameInUrl(host)}:${openPort}`, localUrl };
}

/** Null: the service speaks plain HTTP only. Throws when the certificate and the key cannot be used. */
export function createTls(
  { config, log, now }: { config: Config; log: Logger; now(): number },
  app: Pick<FastifyInstance, "server">,
  readAddress: ReadAddress,
): TlsListener | null {
  const { tlsCert: cert, tlsKey: key, maxConnectionsPerAddress: connectionsMax } = config;
  if (cert === null || key === null) return null;
  // Handshakes have a limit of their own, as large as that of the connections that they become.
  const shares = createClientShares({ connectionsMax, inFlightMax: connectionsMax });
  return createTlsListener({
    ...{ files: { cert, key }, server: app.server, log, now },
    countHandshake({ remoteAddress }) {
      const address = readAddress(remoteAddress ?? "", {});
      if (address.isDirectLoopback || address.isTrustedProxy) return () => {};
      const share = shares.connect(address);
      return share && (() => shares.disconnect(share));
    },
  });
}

/** An address on which the service listens on every interface is none that a client can use. */
export function nameInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return isIPv6(host) ? `[${host}]` : host;
}
