import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "../runtime/driver.ts";
import type { Answer } from "../support/harness.ts";
import { connectTo, lobbyVersion } from "../support/runtime-world.ts";

/** A folder as a developer has it: a program that knows its edition and where it was started. */
export function writeSource(folder: string, edition: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  const start = `#!/bin/sh\nexport EDITION=${edition} PLACE="$PWD"\nexec node "$(dirname "$0")/../lobby.mjs"\n`;
  writeFileSync(join(folder, "bin/start"), start, { mode: 0o755 });
  writeFileSync(join(folder, "lobby.mjs"), readFileSync(join(testFolder, "lobby.mjs")));
}

/** What a developer uploads. */
export function packed(folder: string): Buffer {
  return execFileSync("tar", ["-czf", "-", "-C", folder, "."]);
}

/** A version whose only mode runs the program of such a folder. */
export function buildVersion(build_id: string, more: object = {}) {
  return lobbyVersion({ runtime: { process: { command: "./bin/start", build_id, ...more } } });
}

/** The environment of the lobby that a find answered. */
export async function editionOf(found: Answer): Promise<Record<string, string>> {
  const player = await connectTo(found);
  const env = JSON.parse(await player.ask("env"));
  player.close();
  return env;
}
