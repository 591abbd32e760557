import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureSdkBuilt, ensureServerBuilt, type Server, startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

interface Block {
  readonly language: string;
  readonly name: string;
  readonly text: string;
}

/** The code blocks of a page, in order. */
function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)].map(([, language, name, body]) => ({
    language: language!,
    name: name!,
    text: body!,
  }));
}

const readme = readBlocks("README.md");
const namedBlock = (name: string) => readme.find((block) => block.name === name)!.text;
const marker = "@@ the output of the next command";

let server: Server;
let folder: string;

beforeAll(async () => {
  await ensureServerBuilt();
  await ensureSdkBuilt();
  // The folder is the one where Foyer runs, with its data in it, as the page supposes.
  folder = temporaryFolder();
  symlinkSync(folder, join(folder, ".foyer"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "node_modules/ws"), join(folder, "node_modules/ws"));
  symlinkSync(join(root, "sdk"), join(folder, "node_modules/foyer-sdk"));
  writeFileSync(join(folder, "server.mjs"), namedBlock("server.mjs"));
  server = await startServer(folder);
});

afterAll(async () => {
  await server?.stop();
});

/** Runs blocks in one shell, like a reader who copies them, and returns what each `$` command printed and what the page says. */
async function runShell(blocks: readonly Block[]): Promise<{ printed: string[]; expected: string[] }> {
  const lines: string[] = ["set -u"];
  const expected: string[] = [];
  for (const { language, text } of blocks) {
    if (language === "bash") lines.push(text);
    else
      for (const line of text.split("\n")) {
        if (line.startsWith("$ ")) {
          lines.push(`echo "${marker}"`, line.slice(2));
          expected.push("");
        } else if (line !== "") expected[expected.length - 1] += line;
      }
  }
  const script = lines.join("\n").replaceAll("127.0.0.1:7100", `127.0.0.1:${server.port}`);
  const { stdout } = await run("bash", ["-c", script], { cwd: folder });
  const [before, ...printed] = stdout.split(`${marker}\n`);
  return { printed: [before!, ...printed].map((text) => text.replaceAll("\n", "")), expected };
}

const isShell = ({ language, text }: Block) => language === "bash" || (language === "" && text.startsWith("$ curl"));
const shellBlocks = readme.filter((block) => isShell(block) || block.text.startsWith("$ FOYER_TOKEN"));

test("the README's commands print what it says, and its server and client meet", async () => {
  const { printed, expected } = await runShell(shellBlocks);
  expect(printed.slice(1)).toEqual(expected);
  const publicToken = /pub_[\w-]+/.exec(printed[0]!)![0];

  const program = `
    import { WebSocket } from "ws";
    const api = "http://127.0.0.1:${server.port}";
    const publicToken = "${publicToken}";
    ${namedBlock("client.mjs")}
    socket.onmessage = ({ data }) => {
      console.log(data);
      if (data === "Welcome.") socket.send("Hello.");
      else socket.close();
    };`;
  writeFileSync(join(folder, "client.mjs"), program);
  const { stdout } = await run(process.execPath, ["client.mjs"], { cwd: folder, timeout: 60_000 });
  expect(stdout).toBe("Welcome.\nHello.\n");
});

test("[SK11] a server has at most 15 lines, 10 of them about Foyer; a client has at most 5", () => {
  const lines = (name: string) => namedBlock(name).trimEnd().split("\n");
  const isAboutFoyer = (line: string) => /foyer|lobby|player|admission|token/i.test(line);
  expect(lines("server.mjs").length).toBeLessThanOrEqual(15);
  expect(lines("server.mjs").filter(isAboutFoyer).length).toBeLessThanOrEqual(10);
  expect(lines("client.mjs").length).toBeLessThanOrEqual(5);
});
