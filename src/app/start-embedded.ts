import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultConfig } from "../config/config.ts";
import { createLog } from "../ground/log.ts";
import { startFoyer } from "./main.ts";

/** A service for tests of games; `foyer-sdk/testing` starts it. */
export interface EmbeddedService {
  readonly url: string;
  readonly adminToken: string;
  /** Stops the service and its lobbies, and removes its data. */
  close(): Promise<void>;
}

/** Starts a service in this process: on a free port, without demo and metrics, with its data in a temporary folder. */
export async function startEmbedded(): Promise<EmbeddedService> {
  const dataDir = mkdtempSync(join(tmpdir(), "foyer-"));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  const log = createLog({ level: "error", format: "json", destination: process.stderr });
  try {
    const running = await startFoyer(defaultConfig({ port: 0, metricsPort: null, demo: false, dataDir }), log);
    return {
      url: running.url,
      adminToken: running.adminToken.token,
      async close() {
        await running.close({ stopLobbies: true });
        removeData();
      },
    };
  } catch (error) {
    removeData();
    throw error;
  }
}
