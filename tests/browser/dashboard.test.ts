import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../support/harness.ts";
import { pictureFile, startChromium } from "./chromium.ts";
import { listViolations, openDashboard, type Shown, signIn, startShown } from "./dashboard.ts";
import { openPlayer } from "./players.ts";

const patient = { timeout: 400_000 };
let browser: Browser;
let shown: Shown;
const complaints: string[] = [];

beforeAll(async () => {
  [browser, shown] = await Promise.all([startChromium(), startShown()]);
}, patient.timeout);

beforeEach(() => {
  complaints.length = 0;
});

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await shown?.close();
});

async function open(path: string, options = {}): Promise<Page> {
  const page = await openDashboard(browser, `${shown.foyer.url}${path}`, complaints, options);
  await signIn(page, shown.foyer.adminToken.token);
  return page;
}

/** Confirms the dialog that the button opens. */
async function change(page: Page, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("dialog").getByRole("button", { name: button }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const demo = "/dashboard/games/arena/namespaces/demo";

test("[DB27] a game and a namespace are created; a bad name is explained as it is typed", patient, async () => {
  const page = await open("/");
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Display name").fill("Harbour Run");
  expect(await page.getByLabel("Name id").inputValue()).toBe("harbour-run");
  await page.getByLabel("Name id").fill("Harbour Run");
  await page.locator(".issues", { hasText: /\w/ }).waitFor();
  expect(await page.getByRole("button", { name: "Create game" }).isDisabled()).toBe(true);
  await page.screenshot({ path: pictureFile("dashboard-bad-name") });
  await page.getByLabel("Name id").fill("harbour-run");
  await page.locator(".issues", { hasText: /\w/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create game" }).click();

  await page.getByRole("heading", { name: "Harbour Run", level: 1 }).waitFor();
  await page.getByLabel("Display name").fill("Production");
  await page.getByLabel("Name id").fill("new");
  await page.locator(".issues", { hasText: "is a word of the API itself" }).waitFor();
  await page.getByLabel("Name id").fill("prod");
  await page.locator(".issues", { hasText: /\w/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create namespace" }).click();

  await page.getByRole("heading", { name: "Three steps to the first player" }).waitFor();
  const steps = await page.locator(".first-steps li code").allTextContents();
  expect(steps).toEqual(["foyer init harbour-run", "npm install", "foyer dev -- node server.js"]);
  expect(new URL(page.url()).pathname).toBe("/dashboard/games/harbour-run/namespaces/prod");
  await page.screenshot({ path: pictureFile("dashboard-first-steps") });
  expect(await listViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test(
  "[DB28] [DB29] the table shows real players arrive; a lobby closed on its page is avoided by find until it is opened",
  patient,
  async () => {
    const page = await open(`${demo}/lobbies`);
    const ada = await openPlayer(browser, shown.foyer.demoUrl!, "Ada", complaints);
    const lobby = await ada.enter("Play");
    const row = page.getByRole("row").filter({ hasText: lobby.slice(-8) });
    await row.getByText("1/8").waitFor();
    const ben = await openPlayer(browser, shown.foyer.demoUrl!, "Ben", complaints);
    expect(await ben.enter("Play")).toBe(lobby);
    await row.getByText("2/8").waitFor();
    await page.screenshot({ path: pictureFile("dashboard-lobbies-live") });

    await row.getByRole("link").click();
    await page.getByText("2 connected, 0 reserved, 0 held.").waitFor();
    await page
      .getByRole("log")
      .getByText(/listens on port/)
      .waitFor();
    await page.getByRole("button", { name: "Close lobby" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("its 2 taken seats stay").waitFor();
    await dialog.getByText("Do this in a terminal").click();
    const [command, curl] = await dialog.locator("pre").allTextContents();
    expect(command).toBe(
      `foyer call games.namespaces.lobbies.setClosed arena demo ${lobby} --body '{"is_closed":true}'`,
    );
    expect(curl).toContain(`curl -X PUT ${shown.foyer.url}/cloud/games/arena/namespaces/demo/lobbies/${lobby}/closed`);
    expect(curl).not.toContain(shown.foyer.adminToken.token);
    expect(await listViolations(page)).toEqual([]);
    await page.screenshot({ path: pictureFile("dashboard-close") });
    await dialog.getByRole("button", { name: "Close lobby" }).click();
    await page.getByText("An operator closed this lobby: find sends no players here.").waitFor();

    const cleo = await openPlayer(browser, shown.foyer.demoUrl!, "Cleo", complaints);
    expect(await cleo.enter("Play")).not.toBe(lobby);
    await cleo.page.getByRole("button", { name: "Leave" }).click();
    await change(page, "Open lobby");
    await page.getByRole("button", { name: "Close lobby" }).waitFor();
    const dan = await openPlayer(browser, shown.foyer.demoUrl!, "Dan", complaints);
    expect(await dan.enter("Play")).toBe(lobby);
    await page.getByText("3 connected, 0 reserved, 0 held.").waitFor();
    await page.screenshot({ path: pictureFile("dashboard-lobby"), fullPage: true });

    await change(page, "Stop lobby");
    await page.getByText("This lobby stopped").waitFor();
    await page.getByRole("link", { name: "All lobbies" }).click();
    await page.getByRole("table").waitFor();
    await until(async () => (await page.getByText(lobby.slice(-8)).count()) === 0);
    expect(complaints.filter((text) => !/WebSocket|status of 410/.test(text))).toEqual([]);
  },
);

test("[DB30] a game mode whose lobbies keep failing is shown with the last lines of the log", patient, async () => {
  await shown.admin("POST", "/cloud/games", { display_name: "Broken", name_id: "broken" });
  const mode = {
    max_players: 4,
    idle_lobbies: { min: 1 },
    runtime: {
      process: { command: process.execPath, args: ["-e", "console.log('the map is missing'); process.exit(3)"] },
    },
  };
  const version = { display_name: "1.0", config: { regions: { local: {} }, game_modes: { race: mode } } };
  const { version_id } = await shown.admin("POST", "/cloud/games/broken/versions", version);
  const namespace = { display_name: "Production", name_id: "prod", version_id };
  await shown.admin("POST", "/cloud/games/broken/namespaces", namespace);
  const path = "/cloud/games/broken/namespaces/prod/lobbies";
  await until(async () => (await shown.admin("GET", path)).held_back.length > 0);
  const page = await open("/dashboard/games/broken/namespaces/prod");
  await page.getByRole("heading", { name: "Lobbies of race keep failing" }).waitFor();
  await page.locator(".crash-loop pre", { hasText: "the map is missing" }).waitFor();
  await page.screenshot({ path: pictureFile("dashboard-crash-loop") });
  expect(await listViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

/** Every page, by the heading that it has. A new page is added here. */
const pages: readonly [name: string, path: string, heading: string][] = [
  ["games", "/dashboard", "Games"],
  ["game", "/dashboard/games/arena", "Arena"],
  ["overview", demo, "Demo"],
  ["lobbies", `${demo}/lobbies`, "Lobbies"],
  ["lobby", `${demo}/lobbies/LOBBY`, "arena"],
  ["unknown", "/dashboard/nowhere", "No page here"],
];

const windows = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
} as const;

test.each(Object.entries(windows))(
  "[DB31] every page on %s: no violation of accessibility, nothing wider than the window, no complaint of the browser",
  patient,
  async (name, options) => {
    const ada = await openPlayer(browser, shown.foyer.demoUrl!, "Ada", complaints);
    const lobby = await ada.enter("Play");
    const page = await openDashboard(browser, `${shown.foyer.url}/`, complaints, options);
    await page.getByLabel("Token").waitFor();
    await page.screenshot({ path: pictureFile(`dashboard-sign-in-${name}`) });
    const found = [...(await listViolations(page))];
    await page.getByLabel("Stay signed in").check();
    await signIn(page, shown.foyer.adminToken.token);
    for (const [label, path, heading] of pages) {
      await page.goto(shown.foyer.url + path.replace("LOBBY", lobby));
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await until(async () => (await page.getByText("Loading …").count()) === 0);
      await page.screenshot({ path: pictureFile(`dashboard-${label}-${name}`), fullPage: true });
      found.push(...(await listViolations(page)).map((violation) => `${label}: ${violation}`));
      const wider = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (wider > 0) found.push(`${label}: ${wider} px wider than the window`);
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
