import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isRunning, ownRange } from "../runtime/driver.ts";
import { root, trackedFiles } from "../support/repository.ts";
import { lobbyPids } from "../support/runtime-world.ts";
import { ensureSdkBuilt, ensureServerBuilt, startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isAsPrinted, readSnippets, type Snippet, toScript, useOf } from "./snippets.ts";

const pages = trackedFiles.filter((file) => /^docs\/(?!decisions\/).*\.md$/.test(file));
export const snippets = new Map(pages.map((page) => [page, readSnippets(page)]));
const isRun = (snippet: Snippet) => ["run", "background"].includes(useOf(snippet).type);

/** Runs the pages that are wanted. */
export function snippetsRun(isWanted: (page: string) => boolean): void {
  beforeAll(async () => {
    await ensureServerBuilt();
    await ensureSdkBuilt();
  });

  const runnable = [...snippets].filter(([page, blocks]) => isWanted(page) && blocks.some(isRun));

  test.each(runnable)(
    "[DC9] the snippets of %s run from top to bottom and print what it says",
    { timeout: 240_000 },
    async (page, blocks) => {
      const folder = createFolder();
      if (readFileSync(join(root, page), "utf8").includes("<!-- no service -->")) {
        expect(await runPage(blocks, folder, null)).toEqual([]);
        return;
      }
      // The folder is the one where Foyer runs, with its data in it, as the pages suppose.
      symlinkSync(folder, join(folder, ".foyer"));
      const server = await startServer(folder, [`--lobby-ports=${ownRange()}`]);
      try {
        expect(await runPage(blocks, folder, `127.0.0.1:${server.port}`)).toEqual([]);
      } finally {
        await server.stop();
        endLobbies(folder);
      }
    },
  );
}

/** A folder as a reader has it: with the foyer command, the SDK, `ws` and the Python file. */
export function createFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(join(root, "node_modules/ws"), join(folder, "node_modules/ws"));
  symlinkSync(join(root, "sdk"), join(folder, "node_modules/foyer-sdk"));
  const command = join(folder, "node_modules/.bin/foyer");
  writeFileSync(command, `#!/bin/sh\nexec node ${join(root, "dist/cli/foyer.js")} "$@"\n`);
  chmodSync(command, 0o755);
  // An answer of 400 and above is a failure, and the output is what the service answered.
  writeFileSync(join(folder, ".curlrc"), "silent\nfail-with-body\n");
  return folder;
}

/** Runs a script and everything it leaves behind, which is ended afterwards. */
async function runScript(folder: string, script: string): Promise<number | null> {
  writeFileSync(join(folder, "snippets.sh"), script);
  const path = [join(folder, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: folder, NO_COLOR: "1", PYTHONPATH: join(root, "clients/python") };
  const child = spawn("bash", ["snippets.sh"], { cwd: folder, env, detached: true, stdio: "ignore" });
  const deadline = setTimeout(() => endGroup(child.pid!, "SIGKILL"), 200_000);
  const [code] = await once(child, "exit");
  clearTimeout(deadline);
  endGroup(child.pid!, "SIGTERM");
  return code as number | null;
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing was left to end.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Lobbies outlive the service, so that it can take them over after a restart. */
function endLobbies(dataDir: string): void {
  if (!existsSync(join(dataDir, "lobbies"))) return;
  for (const pid of lobbyPids(dataDir).filter(isRunning)) process.kill(-pid, "SIGKILL");
}

const readIn = (folder: string, name: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "";

/** What did not go as the page says; empty: everything did. */
export async function runPage(page: readonly Snippet[], folder: string, address: string | null): Promise<string[]> {
  const local = (text: string) => (address === null ? text : text.replaceAll("127.0.0.1:7100", address));
  const { script, expected } = toScript(page.map((snippet) => ({ ...snippet, text: local(snippet.text) })));
  const code = await runScript(folder, script);
  const steps = readIn(folder, "steps").trim().split("\n");
  const last = steps.at(-1)!;
  if (code !== 0 || last !== "end") {
    const index = page.findIndex(({ page: file, line }) => `${file}:${line}` === last);
    return [`${last} ended with code ${code}:\n${readIn(folder, `snippet-${index}.out`)}`];
  }
  return expected
    .map(({ where, out, text }) => ({ where, text, actual: readIn(folder, out) }))
    .filter(({ text, actual }) => !isAsPrinted(actual, text))
    .map(({ where, text, actual }) => `${where} says:\n${text}\nbut this was printed:\n${actual}`);
}
