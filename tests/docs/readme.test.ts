import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pictureFile, startChromium } from "../browser/chromium.ts";
import { ownRange } from "../runtime/driver.ts";
import { bundle } from "../sdk/sdk-project.ts";
import { noteIssued, until } from "../support/harness.ts";
import { root } from "../support/repository.ts";
import { freePort } from "../support/services/programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isAsPrinted, readConsole, readSnippets, type Snippet, useOf } from "./snippets.ts";
import { openShell, type Running, type Shell, startInTerminal } from "./terminal.ts";

const patient = 1_200_000;
const blocks = readSnippets("README.md");
const fileBlock = (name: string) => blocks.find(({ info }) => info === `file=${name}`)!.text;

let browser: Browser;
let shell: Shell;
let port: number;
let env: NodeJS.ProcessEnv;
const running: Running[] = [];

beforeAll(async () => {
  browser = await startChromium();
  port = await freePort();
  env = readerEnvironment();
  shell = openShell(root, env);
}, patient);

afterAll(async () => {
  await browser?.close();
  for (const program of running) await program.end();
  shell?.close();
}, patient);

/**
 * A reader with a home of its own. npm installs the command there, needs no network for what it has in its cache, and reaches its
 * registry as this machine's npm does: the settings of the whole machine are otherwise looked for in the reader's prefix.
 */
function readerEnvironment(): NodeJS.ProcessEnv {
  const home = temporaryFolder();
  const prefix = join(home, "npm");
  mkdirSync(join(prefix, "lib"), { recursive: true });
  const { NODE_EXTRA_CA_CERTS } = process.env;
  const userconfig = join(homedir(), ".npmrc");
  return {
    PATH: [join(prefix, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    NO_COLOR: "1",
    npm_config_prefix: prefix,
    npm_config_cache: npmSetting("cache"),
    npm_config_globalconfig: npmSetting("globalconfig"),
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
    ...(existsSync(userconfig) && { npm_config_userconfig: userconfig }),
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    FOYER_PORT: String(port),
    FOYER_METRICS_PORT: "0",
    FOYER_LOBBY_PORTS: ownRange(),
  };
}

function npmSetting(name: string): string {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

const local = (text: string) => text.replaceAll("127.0.0.1:7100", `127.0.0.1:${port}`);

/** Does with a block of the README what a reader does. */
async function follow(block: Snippet): Promise<string> {
  const use = useOf(block);
  if (use.type === "file") writeFileSync(join(shell.folder(), use.name), local(block.text));
  if (use.type === "background") {
    const program = startInTerminal(block.text.trim(), shell.folder(), env);
    running.push(program);
    await program.says(use.until);
  }
  if (use.type !== "run") return "";
  if (block.language === "sh") return shell.run(local(block.text));
  for (const { command, printed } of readConsole(block.text)) {
    const actual = await shell.run(local(command));
    const isRight = isAsPrinted(actual, printed);
    expect(isRight ? "as printed" : `README.md:${block.line}: ${command}\nprinted:\n${actual}`).toBe("as printed");
  }
  return "";
}

async function openTab(url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return page;
}

/** Two tabs at the address that `foyer dev` prints: in one lobby, and each sees what the other sends. */
async function playInTwoTabs(url: string): Promise<void> {
  const tabs = [await openTab(url), await openTab(url)];
  for (const tab of tabs) await tab.getByText("< Welcome.").waitFor();
  const lobbies = await Promise.all(
    tabs.map(async (tab) => /lobby ([0-9a-f-]{36})/.exec((await tab.locator("#log").textContent())!)![1]),
  );
  expect(lobbies[0]).toBe(lobbies[1]);
  await tabs[0]!.getByLabel("Message").fill("Hello from one tab");
  await tabs[0]!.getByRole("button", { name: "Send" }).click();
  await tabs[1]!.getByText("< Hello from one tab").waitFor();
  await tabs[1]!.screenshot({ path: pictureFile("readme-dev") });
  for (const tab of tabs) await tab.close();
}

/** The README's client as a bundler writes it, in a page; resolves when the server has welcomed its player. */
async function playWithClient(publicToken: string): Promise<void> {
  const client = local(fileBlock("client.js")).replace("pub_…", publicToken);
  await runClient(client);
  const script = await bundle(shell.folder(), client);
  const pages = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><script type="module">${script}</script>`);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const page = await (await browser.newContext()).newPage();
  const received: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => void received.push(String(payload))));
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  await until(() => received.includes("Welcome."), 120_000);
  await page.close();
  pages.close();
}

/** With Node, and as TypeScript with the strictest options. */
async function runClient(client: string): Promise<void> {
  for (const name of ["client.js", "client.ts"]) writeFileSync(join(shell.folder(), name), client);
  const program = startInTerminal("node --experimental-websocket client.js", shell.folder(), env);
  await program.says("Welcome.");
  await program.end();
  const options =
    "--strict --noUncheckedIndexedAccess --noEmit --target es2022 --module nodenext --lib es2022,dom --types";
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, ...options.split(" "), "", "client.ts"], { cwd: shell.folder(), stdio: "pipe" });
}

/** What `foyer init` wrote, with the packages that the README installs, in a folder of its own. */
async function playWhatInitWrote(): Promise<void> {
  const home = shell.folder();
  await shell.run(`mkdir ~/fresh && cd ~/fresh && foyer init`);
  await shell.run("npm install");
  const dev = startInTerminal("foyer dev -- node server.js", shell.folder(), env);
  running.push(dev);
  await dev.says("ready for players");
  const url = /Play +(\S+)/.exec(dev.output())![1]!;
  const tabs = [await openTab(url), await openTab(url)];
  for (const tab of tabs)
    await tab
      .getByText(/is here\./)
      .first()
      .waitFor();
  await tabs[0]!.getByLabel("Message").fill("Good evening");
  await tabs[0]!.keyboard.press("Enter");
  await tabs[1]!.getByText(/Player \w{4}: Good evening/).waitFor();
  await tabs[1]!.reload();
  await tabs[0]!.getByText(/is back\./).waitFor();
  await tabs[1]!.screenshot({ path: pictureFile("readme-init") });
  for (const tab of tabs) await tab.close();
  expect(await dev.end()).toBe(0);
  await shell.run(`cd ${home}`);
}

test(
  "[EX3] a reader who follows the README has two tabs in one lobby, a deployed version and a seated player",
  async () => {
    const used = blocks.filter((block) => ["run", "background", "file"].includes(useOf(block).type));
    expect(used.length).toBe(11);
    for (const block of used) {
      const printed = await follow(block);
      if (block.text.startsWith("foyer dev")) {
        const dev = running.at(-1)!;
        await dev.says("ready for players");
        await playInTwoTabs(/Play +(\S+)/.exec(dev.output())![1]!);
        expect(await dev.end()).toBe(0);
        expect(existsSync(join(shell.folder(), ".foyer"))).toBe(false);
      }
      if (block.text.startsWith("foyer serve")) {
        const start = blocks.find(({ text }) => text.startsWith("$ npm start"))!;
        await running.at(-1)!.says("Stop with Ctrl-C");
        expect(labels(running.at(-1)!.output())).toEqual(labels(start.text));
      }
      if (block.text.includes("foyer deploy")) {
        const publicToken = /pub_[\w-]+/.exec(printed)![0];
        noteIssued(publicToken);
        await playWithClient(publicToken);
        const lobbies = await shell.run("foyer lobbies --game my-game --namespace prod");
        expect(lobbies).toContain("ready");
      }
    }
    await playWhatInitWrote();
  },
  patient,
);

/** The names before the values, as the service prints them at its start. */
const labels = (text: string) => [...text.matchAll(/^ {2}(\w+(?: \w+)?) {2,}\S/gm)].map(([, label]) => label);

test("[SK11] a server has at most 15 lines, 10 of them about Foyer; a client has at most 5", () => {
  const lines = (name: string) => fileBlock(name).trimEnd().split("\n");
  const isAboutFoyer = (line: string) => /foyer|lobby|player|admission|token/i.test(line);
  expect(lines("server.js").length).toBeLessThanOrEqual(15);
  expect(lines("server.js").filter(isAboutFoyer).length).toBeLessThanOrEqual(10);
  expect(lines("client.js").length).toBeLessThanOrEqual(5);
});

test("[EX3] every command of the README is run, but the start of the demo", () => {
  const shells = blocks.filter(({ language }) => ["", "sh", "bash", "console", "js"].includes(language));
  const left = shells.filter((block) => !["run", "background", "file"].includes(useOf(block).type));
  expect(left.map(({ text }) => text.split("\n")[0])).toEqual(["$ npm start"]);
});
