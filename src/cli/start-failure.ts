import type { Config } from "../config/config.ts";
import { redact } from "../ground/redact.ts";
import { StoreUnavailable } from "../ground/unavailable.ts";

/** One sentence about why the service did not start, with the way out where there is one. */
export function explainStartFailure(error: unknown, config: Config): string {
  if (!(error instanceof Error)) return redact(String(error));
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const isMetrics = port !== undefined && port === config.metricsPort && port !== config.port;
  const flag = isMetrics ? "--metrics-port" : "--port";
  if (code === "EADDRINUSE") {
    const other = isMetrics ? "another number, or off" : "another number, or 0 for any free one";
    return `Port ${port} on ${address} is in use by another program. Stop that one, or give ${flag} ${other}.`;
  }
  if (code === "EACCES" && port !== undefined)
    return `Port ${port} may not be opened by this user. Give ${flag} a number above 1023.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const name = isMetrics ? "metrics_host" : "host";
    return `${address ?? (isMetrics ? config.metricsHost : config.host)} is not an address of this machine. Check ${name}.`;
  }
  if (error instanceof StoreUnavailable && config.databaseUrl !== null)
    return `${redact(error.message)} It was asked for at ${redact(config.databaseUrl)}: check FOYER_DATABASE_URL, and that PostgreSQL runs.`;
  return redact(error.message || error.name);
}
