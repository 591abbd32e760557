import { type Logger, throttledByText } from "../ground/log.ts";

/** Logs that another node cannot be reached at its address, about once a minute for each. */
export function createNodeReport(log: Logger): (url: string) => void {
  return throttledByText((url: string) =>
    log.warn(
      { node_url: url },
      "another node accepts no connection at its node_url, so players do not reach its lobbies through this process; check that address and the network",
    ),
  );
}
