import { expect, test } from "vitest";
import { startFoyer } from "../src/app/main.ts";
import { type Config, defaultConfig } from "../src/config/config.ts";
import { createLog } from "../src/ground/log.ts";
import { freePort } from "./support/services/programs.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** What a service that starts and stops says in its log. */
async function linesOf(overrides: Partial<Config>): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", destination: { write: (line) => lines.push(line) } });
  const port = await freePort();
  const config = defaultConfig({ port, metricsPort: null, demo: false, dataDir: temporaryFolder(), ...overrides });
  await (await startFoyer(config, log)).close();
  return lines.filter((line) => line.includes("max_players_per_client"));
}

test("[RA4] the start of a public service recommends a number of seats per client, once; a private one says nothing", async () => {
  expect(await linesOf({})).toEqual([]);
  expect(await linesOf({ publicUrl: "https://play.example.com" })).toEqual([expect.stringContaining("64")]);
  expect(await linesOf({ host: "0.0.0.0" })).toEqual([expect.stringContaining("64")]);
});
