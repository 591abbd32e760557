import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pictureFile, startChromium } from "../browser/chromium.ts";
import { ownRange } from "../runtime/driver.ts";
import { createSdkProject } from "../sdk/sdk-project.ts";
import { until } from "../support/harness.ts";
import { root } from "../support/repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const patient = 240_000;
const example = join(root, "examples/rooms");
const read = (file: string) => readFileSync(join(example, file), "utf8").trimEnd().split("\n");

let browser: Browser;
let dev: ChildProcess;
let address: string;
let output = "";

beforeAll(async () => {
  // A copy, with the packages installed, as one who copies the example has it.
  const project = await createSdkProject();
  cpSync(example, project, { recursive: true });
  browser = await startChromium();
  dev = spawn(process.execPath, [join(root, "dist/cli/foyer.js"), "dev", "--", "node", "server.mjs"], {
    cwd: project,
    env: { PATH: process.env.PATH, TMPDIR: temporaryFolder(), FOYER_PORT: "0", FOYER_LOBBY_PORTS: ownRange() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [dev.stdout!, dev.stderr!]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  await until(() => output.includes("ready for players"), 120_000);
  address = /Play +(\S+)/.exec(output)![1]!;
}, patient);

afterAll(async () => {
  await browser?.close();
  dev?.kill("SIGINT");
  if (dev?.exitCode === null) await once(dev, "exit");
}, patient);

async function open(name: string, options = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(address);
  await page.getByLabel("Your name").fill(name);
  return page;
}

const sees = (page: Page, ...lines: string[]) =>
  until(async () => (await page.locator("#players li").allTextContents()).join() === lines.join());

test(
  "[EX2] [CD4] [CD5] one player creates a room, another joins it by its code, and both play",
  async () => {
    const ada = await open("Ada");
    await ada.getByRole("button", { name: "New room" }).click();
    await ada.locator("#shown").waitFor();
    const code = await ada.locator("#shown").textContent();
    expect(code).toMatch(/^[A-Z2-9]{4}$/);
    const ben = await open("Ben", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    await ben.screenshot({ path: pictureFile("rooms-start") });
    await ben.getByLabel("Code").fill(code!.toLowerCase());
    await ben.getByRole("button", { name: "Join" }).click();
    for (const page of [ada, ben]) await sees(page, "Ada: 0 …", "Ben: 0 …");

    await ada.getByLabel("Your answer").fill("Cat");
    await ada.getByRole("button", { name: "Answer" }).click();
    await sees(ben, "Ada: 0 ✓", "Ben: 0 …");
    await ben.getByLabel("Your answer").fill("cat");
    await ben.getByRole("button", { name: "Answer" }).click();
    for (const page of [ada, ben]) await sees(page, "Ada: 1 …", "Ben: 1 …");
    await ada.getByText("Last round: Ada: cat, Ben: cat").waitFor();
    await ada.screenshot({ path: pictureFile("rooms-playing") });
    await ben.screenshot({ path: pictureFile("rooms-phone") });

    // A reload returns to the same room with the same score; another room is another game.
    await ben.reload();
    await sees(ben, "Ada: 1 …", "Ben: 1 …");
    const cleo = await open("Cleo");
    await cleo.getByRole("button", { name: "New room" }).click();
    await sees(cleo, "Cleo: 0 …");
    expect(await cleo.locator("#shown").textContent()).not.toBe(code);
    const dan = await open("Dan");
    await dan.getByLabel("Code").fill("2222222222");
    await dan.getByRole("button", { name: "Join" }).click();
    await dan.getByRole("alert").filter({ hasText: /code/i }).waitFor();
  },
  patient,
);

test("[EX2] server and page have at most 150 lines, 10 of the server and 5 of the page about Foyer", () => {
  const [server, page] = [read("server.mjs"), read("public/index.html")];
  expect(server.length + page.length).toBeLessThanOrEqual(150);
  const aboutServer = server.filter((line) => /foyer|lobby|admission|signal|playerId|refusal|token/i.test(line));
  const aboutPage = page.filter((line) => /foyer|matchmaker|seat/i.test(line));
  expect(aboutServer.length).toBeLessThanOrEqual(10);
  expect(aboutPage.length).toBeLessThanOrEqual(5);
});
