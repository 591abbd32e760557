import { statSync } from "node:fs";
import type { Config } from "../config/config.ts";

/** What is allowed and yet not safe, in sentences for the log of a start. */
export function startWarnings(config: Config, dataDir: string): string[] {
  const warnings: string[] = [];
  if (config.processTrust === "cloud" && config.runtimes.includes("process") && config.lobbyUser === null) {
    warnings.push(
      "process_trust is cloud and lobby_user is not set: whoever has a cloud token can run programs as the user that runs " +
        "Foyer, and read its secrets. Set lobby_user, or process_trust to admin.",
    );
  }
  if ((statSync(dataDir).mode & 0o002) !== 0) {
    warnings.push(
      `Everybody on this machine may write to the data folder ${dataDir}, and so replace its secrets: chmod o-w closes it.`,
    );
  }
  return warnings;
}
