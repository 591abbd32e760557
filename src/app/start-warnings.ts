import { statSync } from "node:fs";
import type { Config } from "../config/config.ts";

/** Warnings about allowed but unsafe settings, for the log of a start. */
export function startWarnings(config: Config, dataDir: string): string[] {
  const warnings: string[] = [];
  if (config.processTrust === "cloud" && config.runtimes.includes("process") && config.lobbyUser === null) {
    warnings.push(
      "process_trust is cloud and lobby_user is not set: everyone with a cloud token can run programs as the user that runs " +
        "Foyer, and read its secrets. Set lobby_user, or process_trust to admin.",
    );
  }
  if ((statSync(dataDir).mode & 0o002) !== 0) {
    warnings.push(
      `Every user of this machine can write to the data folder ${dataDir} and replace its secrets. Run chmod o-w on it.`,
    );
  }
  return warnings;
}
