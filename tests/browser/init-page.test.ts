import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageText } from "../../src/cli/deploy/templates.ts";
import { servePage } from "../../src/cli/dev/page-server.ts";
import { createSdkProject } from "../sdk/sdk-project.ts";
import { createSdkWorld, type SdkWorld } from "../sdk/sdk-world.ts";
import { startChromium } from "./chromium.ts";

let browser: Browser;
let world: SdkWorld;

beforeAll(async () => {
  browser = await startChromium();
  world = await createSdkWorld();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await world?.close();
});

test("[CP5] the page that init writes shows why it gets no seat, and complains of nothing else", async () => {
  const project = await createSdkProject();
  mkdirSync(join(project, "public"));
  writeFileSync(join(project, "public/index.html"), pageText);
  const facts = { endpoint: world.running.url, token: world.publicToken, game_mode: "unknown" };
  const served = await servePage(join(project, "public"), project, facts, 0);
  const page = await browser.newPage();
  const thrown: string[] = [];
  page.on("pageerror", ({ message }) => thrown.push(message));
  try {
    await page.goto(served.url);
    await page.locator("#log").getByText("unknown").waitFor();
    await page.getByLabel("Message").fill("Is anybody there?");
    await page.keyboard.press("Enter");
    expect(thrown).toEqual([]);
  } finally {
    await page.close();
    served.close();
  }
}, 120_000);
