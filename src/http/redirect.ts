import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/config.ts";

export interface Redirect {
  /** Null: it is off. */
  readonly port: number | null;
  close(): void;
}

/** Of all clients together. Each has one answer, so a few are enough, and more wait in the system. */
const connectionsMax = 256;

/** Listens for plain http and sends browsers to https. */
export async function openRedirect(
  { redirectHttpPort: port, publicUrl, gatewayUrl }: Config,
  host: string,
): Promise<Redirect> {
  if (port === null) return { port, close() {} };
  const origins = [publicUrl, gatewayUrl].filter((url) => url !== null).map((url) => new URL(url));
  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 16 * 1024 },
    (request, response) => redirect(origins, request, response),
  );
  server.maxConnections = connectionsMax;
  // A client that does not read its answer.
  server.setTimeout(5_000);
  server.listen({ host, port });
  await once(server, "listening");
  // Without a free descriptor a connection is not accepted, and the client tries again.
  server.on("error", () => undefined);
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Only to hosts that are the service's own: a redirect to the host of the request would lead wherever its sender likes. */
function redirect(origins: readonly URL[], { headers, url = "" }: IncomingMessage, response: ServerResponse): void {
  const name = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  const to = origins.find(({ protocol, hostname }) => protocol === "https:" && hostname === name);
  const isPath = url.startsWith("/");
  if (to !== undefined && isPath) response.writeHead(308, { location: `${to.origin}${url}`, connection: "close" });
  else response.writeHead(isPath ? 421 : 400, { connection: "close" });
  response.end();
}
