import type { Config } from "../config/config.ts";
import { type GatewayOrigin, parseGatewayOrigin } from "../operations/matchmaking/ports.ts";

/** Where players reach the gateway: as the settings say, else where the service is reached. */
export interface GatewayAddress {
  origin(): GatewayOrigin;
  /** The service listens: this is its address. Its first request may come a little before. */
  settle(serviceUrl: string): void;
}

export function createGatewayAddress(
  config: Pick<Config, "gatewayUrl" | "publicUrl" | "host" | "port" | "tlsCert">,
): GatewayAddress {
  const given = config.gatewayUrl ?? config.publicUrl;
  let origin = parseGatewayOrigin(given ?? guessOrigin(config));
  return {
    origin: () => origin,
    settle(serviceUrl) {
      if (given === null) origin = parseGatewayOrigin(serviceUrl);
    },
  };
}

/** It is only wrong when the service listens on any free port. */
function guessOrigin({ host, port, tlsCert }: Pick<Config, "host" | "port" | "tlsCert">): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${tlsCert === null ? "http" : "https"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
