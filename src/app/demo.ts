import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { readPrivateFile, writePrivateFile } from "../ground/data-folder.ts";
import type { Logger } from "../ground/log.ts";
import { type PlayPage, readPlayPage } from "../http/pages/play.ts";
import { setUpDemo } from "../operations/cloud/demo-game.ts";
import type { ServedHandlers } from "../operations/handlers.ts";

/** The folder of the demo. The image of deploy/ does not contain it. */
const arena = fileURLToPath(new URL("../../examples/arena", import.meta.url));

/**
 * Sets up the demo game in a new data folder, and returns its page. Null: there is no demo. If the set-up fails, the
 * service starts without the demo.
 */
export async function openDemo(
  config: Config,
  handlers: ServedHandlers,
  dataDir: string,
  log: Logger,
): Promise<PlayPage | null> {
  const server = join(arena, "dist/server.mjs");
  if (!config.demo || !config.runtimes.includes("process") || !existsSync(server)) return null;
  const file = join(dataDir, "demo.json");
  try {
    const demo = await setUpDemo({
      handlers,
      config,
      command: process.execPath,
      args: [server],
      kept: readPrivateFile(file),
      keep: (text) => writePrivateFile(dataDir, file, text),
    });
    return demo && readPlayPage(join(arena, "public"), join(arena, "dist/play.js"), demo);
  } catch (error) {
    log.warn({ err: error }, "the demo game could not be set up; the service runs without it");
    return null;
  }
}
