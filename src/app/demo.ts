import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { readPrivateFile, writePrivateFile } from "../ground/data-folder.ts";
import type { Logger } from "../ground/log.ts";
import { type PlayPage, readPlayPage } from "../http/pages/play.ts";
import { setUpDemo } from "../operations/cloud/demo-game.ts";
import type { ServedHandlers } from "../operations/handlers.ts";

/** The folder of the example; an installed package comes without it. */
const arena = fileURLToPath(new URL("../../examples/arena", import.meta.url));

/**
 * The page of the example game, after its game was set up if this is a new data folder. Null: there is none. That the
 * demo does not work is no reason not to start.
 */
export async function openDemo(
  config: Config,
  handlers: ServedHandlers,
  dataDir: string,
  log: Logger,
): Promise<PlayPage | null> {
  const server = join(arena, "server.mjs");
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
    return demo && readPlayPage(join(arena, "public"), demo);
  } catch (fault) {
    log.warn({ err: fault }, "the demo game could not be set up; the service runs without it");
    return null;
  }
}
