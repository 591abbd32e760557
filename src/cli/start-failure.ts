import type { Config } from "../config/config.ts";
import { redact } from "../ground/redact.ts";
import { StoreUnavailable } from "../ground/unavailable.ts";

/** Says why the service did not start and, if possible, what to do. */
export function explainStartFailure(error: unknown, config: Config): string {
  if (!(error instanceof Error)) return redact(String(error));
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const isMetrics = port !== undefined && port === config.metricsPort && port !== config.port;
  const isLocal = config.tlsCert !== null && port === config.localPort && port !== config.port;
  const flag = isMetrics ? "--metrics-port" : isLocal ? "--local-port" : "--port";
  if (code === "EADDRINUSE") {
    const other = isMetrics ? "another number, or off" : "another number, or 0 for any free one";
    return `Port ${port} on ${address} is in use by another program. Stop that program, or give ${flag} ${other}.`;
  }
  if (code === "EACCES" && port !== undefined)
    return `This user may not open port ${port}. Give ${flag} a number above 1023.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    const name = isMetrics ? "metrics_host" : "host";
    return `${address ?? (isMetrics ? config.metricsHost : config.host)} is not an address of this machine. Check ${name}.`;
  }
  if (error instanceof StoreUnavailable && config.databaseUrl !== null)
    return `${redact(error.message)} The address is ${redact(config.databaseUrl)}: check FOYER_DATABASE_URL, and that PostgreSQL runs.`;
  return redact(error.message || error.name);
}
