import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { startChromium } from "../tests/browser/chromium.ts";
import { bearer, send } from "./requests.ts";
import { serveFoyer } from "./server-process.ts";
import { markdownTable } from "./table.ts";
import { makeWorld, type World } from "./world.ts";

export const question =
  "With 5,000 lobbies and 50 changes a second: for how long does the dashboard's table not react to scrolling and filtering?";

const lobbies = 5_000;
const changesPerSecond = 50;
const secondsEach = 10;

/** What the page did at a stretch, in milliseconds; tasks of less than 50 ms are not reported by browsers. */
interface Blocking {
  readonly during: string;
  readonly tasksMs: readonly number[];
}

export async function run({ isLong }: { readonly isLong: boolean }): Promise<string> {
  const world = await makeWorld({ lobbies: lobbies / 2, taggedLobbies: lobbies / 2, playersPerLobby: 4 });
  const server = await serveFoyer(world.folder);
  const browser = await startChromium();
  const ending = new AbortController();
  const changing = change(server.url, world, ending.signal);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(noteLongTasks);
    await openTable(page, server.url, readFileSync(join(world.folder, "admin-token"), "utf8").trim());
    const forMs = secondsEach * 1_000 * (isLong ? 3 : 1);
    const lines = [
      await measure(page, "looking", forMs, () => sleep(200)),
      await measure(page, "scrolling", forMs, () => scroll(page)),
      await measure(page, "filtering", forMs, () => filter(page)),
    ];
    return tableOf(lines);
  } finally {
    ending.abort();
    await changing;
    await browser.close();
    await server.stop();
    world.remove();
  }
}

const noteLongTasks = `globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask", buffered: true });`;

async function openTable(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/dashboard`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator(".card-link").first().click();
  await page.locator("main .card-link").first().click();
  await page.getByRole("link", { name: "Lobbies", exact: true }).click();
  await page.getByText(`${lobbies.toLocaleString("en")} lobbies`).waitFor({ timeout: 120_000 });
}

async function measure(page: Page, during: string, forMs: number, act: () => Promise<unknown>): Promise<Blocking> {
  await page.evaluate("longTasks.length = 0");
  const endsAt = performance.now() + forMs;
  while (performance.now() < endsAt) await act();
  return { during, tasksMs: await page.evaluate<number[]>("longTasks") };
}

async function scroll(page: Page): Promise<void> {
  await page.locator(".lobby-scroller").hover();
  for (const by of [400, 2_000, -1_200, 9_000]) await page.mouse.wheel(0, by);
  await sleep(50);
}

async function filter(page: Page): Promise<void> {
  await page.getByLabel("Search").pressSequentially("map-7", { delay: 40 });
  await page.getByLabel("State").selectOption("closed");
  await page.getByLabel("Order").selectOption("fullest");
  await page.getByLabel("State").selectOption("");
  await page.getByLabel("Order").selectOption("newest");
  await page.getByLabel("Search").fill("");
}

/** Closes and opens lobbies in turn, evenly spread. */
async function change(url: string, world: World, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; !signal.aborted; count++) {
    const lobbyId = world.lobbyIds[(count * 37) % world.lobbyIds.length]!;
    const isClosed = Math.floor(count / world.lobbyIds.length) % 2 === 0;
    await send("PUT", `${url}/matchmaker/lobbies/closed`, bearer(world.lobbyTokenOf(lobbyId)), { is_closed: isClosed });
    await sleep(Math.max(0, startedAt + (count * 1_000) / changesPerSecond - performance.now()));
  }
}

function tableOf(lines: readonly Blocking[]): string {
  const rows = lines.map(({ during, tasksMs }) => [
    during,
    String(tasksMs.length),
    tasksMs.length === 0 ? "under 50" : Math.max(...tasksMs).toFixed(0),
    String(tasksMs.filter((ms) => ms > 100).length),
  ]);
  return markdownTable(["while", "tasks over 50 ms", "longest ms", "tasks over 100 ms"], rows);
}
