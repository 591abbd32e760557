import { defaultConfig } from "../../src/config/config.ts";
import { secretFromText } from "../../src/ground/data-folder.ts";
import { createLog } from "../../src/ground/log.ts";
import { startStandaloneGateway } from "../../src/http/standalone-gateway.ts";

/** The secret of the services of the tests. */
export const secret = "the secret of the tests, which is long enough";

/** `foyer gateway` in this process. */
export interface Through {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts `foyer gateway` in front of the service at that address. */
export async function openThrough(serviceUrl: string): Promise<Through> {
  const { url, close } = await startStandaloneGateway({
    config: defaultConfig({ gatewayPort: 0, serviceUrl, trustedProxies: ["127.0.0.1"], rateAddress: 0 }),
    log: createLog({ level: "silent", format: "json" }),
    secret: secretFromText(secret),
    previousSecret: null,
    now: Date.now,
    newRequestId: () => "gateway-request",
  });
  return { url, port: Number(new URL(url).port), close };
}
