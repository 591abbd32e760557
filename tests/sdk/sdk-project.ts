import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type * as testing from "../../sdk/src/testing.ts";
import { root } from "../support/repository.ts";
import { ensureSdkBuilt, ensureServerBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A project of a game with the built SDK, Foyer and `ws` in its node_modules, as npm would install them. */
export async function createSdkProject(): Promise<string> {
  await ensureServerBuilt();
  await ensureSdkBuilt();
  const folder = temporaryFolder();
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "foyer-sdk"), { recursive: true });
  // A copy, because a link would make the SDK look for foyer-server in this repository's node_modules.
  for (const name of ["dist", "package.json"]) {
    cpSync(join(root, "sdk", name), join(modules, "foyer-sdk", name), { recursive: true });
  }
  symlinkSync(root, join(modules, "foyer-server"));
  symlinkSync(join(root, "node_modules/ws"), join(modules, "ws"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  return folder;
}

/** Starts a service with the project's own `foyer-sdk/testing`. */
export async function startTestFoyer(folder: string, options: testing.TestFoyerOptions): Promise<testing.TestFoyer> {
  const file = join(folder, "start-foyer.js");
  writeFileSync(file, `export { startFoyer } from "foyer-sdk/testing";`);
  // It is built from these sources.
  const { startFoyer } = (await import(file)) as typeof testing;
  return startFoyer(options);
}

/** A module of a project as a bundler writes it for a page. */
export async function bundle(folder: string, text: string): Promise<string> {
  const input = join(folder, "page.js");
  writeFileSync(input, text);
  const build = await rolldown({ input, cwd: folder, platform: "browser" });
  const { output } = await build.generate({ format: "esm", minify: true });
  await build.close();
  if (output.length > 1) throw new Error("A page needs one file.");
  return output[0].code;
}

export interface Program {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  output(): string;
  /** Waits until it has printed this. */
  printed(text: string): Promise<void>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs a program of a project with these variables and no others. */
export function runProgram(
  folder: string,
  file: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Program {
  const child = spawn(process.execPath, [...flags, file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  return {
    child,
    ended,
    output: () => output,
    async printed(text) {
      while (!output.includes(text)) {
        const news = [once(child.stdout, "data"), once(child.stderr, "data")];
        const isOver = await Promise.race([ended.then(() => true), ...news.map((piece) => piece.then(() => false))]);
        if (isOver && !output.includes(text)) throw new Error(`${file} ended without printing "${text}":\n${output}`);
      }
    },
  };
}
