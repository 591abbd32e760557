import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { noteIssued } from "../support/harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pictureFile, startChromium } from "./chromium.ts";

// A browser and a server on a machine that may have other work.
const patient = { timeout: 900_000 };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const desk = { viewport: { width: 1280, height: 800 } };

let browser: Browser;
let foyer: RunningFoyer;
/** What must not occur: messages of the browser's console, errors of pages, requests that leave the host. */
const complaints: string[] = [];

beforeAll(async () => {
  const log = createLog({ level: "error", format: "json", destination: { write: (line) => complaints.push(line) } });
  const config = defaultConfig({ port: 0, metricsPort: null, dataDir: temporaryFolder(), demo: false });
  [browser, foyer] = await Promise.all([startChromium(), startFoyer(config, log)]);
  noteIssued(foyer.adminToken.token);
}, patient.timeout);

beforeEach(() => {
  complaints.length = 0;
});

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await foyer?.close({ stopLobbies: true });
});

/** A new browser profile with one page, which notes every complaint. */
async function open(
  path: string,
  options: BrowserContextOptions = desk,
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => void complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(foyer.url).origin) complaints.push(request.url());
  });
  await page.goto(foyer.url + path);
  return { context, page };
}

const hrefs = (page: Page) =>
  page
    .locator("#pages a")
    .evaluateAll((links) => links.map((link) => (link as unknown as { pathname: string }).pathname));

/** All pages have one style sheet, and contrast takes most of the time: it is measured on one page of each kind. */
async function findViolations(page: Page, ...leftOut: string[]): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page: page as never })
    .disableRules(leftOut)
    .setLegacyMode(true)
    .analyze();
  return violations.map(
    ({ id, nodes }) => `${page.url()} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`,
  );
}

test("[DC7] search finds a page by the keyboard alone", patient, async () => {
  const { page } = await open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("reconnect seat held");
  const chosen = page.locator("dialog [role=option][aria-selected=true]");
  await chosen.waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog.search").waitFor({ state: "hidden" });
  const targets: [text: string, url: string][] = [
    ["find_wait_s", "/docs/settings#find_wait_s"],
    ["API_RATE_LIMIT", "/docs/errors#API_RATE_LIMIT"],
    ["setClosed", "/docs/api/lobbies#lobbies.setClosed"],
  ];
  for (const [text, url] of targets) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(text);
    await page.locator(`dialog [data-target="${url}"]`).waitFor();
    if (text === "setClosed") await page.screenshot({ path: pictureFile("docs-search") });
    while ((await chosen.getAttribute("data-target")) !== url) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(foyer.url + url);
  }
  expect(complaints).toEqual([]);
});

test("[DC7] try it: a request with a pasted token, its answer, and no trace of the token", patient, async () => {
  const { context, page } = await open("/docs/api/games");
  const { token } = foyer.adminToken;
  const addresses: string[] = [];
  page.on("request", (request) => void addresses.push(request.url()));
  await page.getByLabel("Token for Try it").fill(token);
  await page.getByRole("button", { name: "Try it games.createGame" }).click();
  const form = page.getByRole("form", { name: "Try games.createGame" });
  await form.getByLabel("body").fill('{"display_name":"From the docs","name_id":"from-the-docs"}');
  await form.getByRole("button", { name: "Send POST" }).click();
  await form.getByText("200 OK").waitFor();
  await form.getByText(/"game_id"/).waitFor();
  await form.scrollIntoViewIfNeeded();
  await page.screenshot({ path: pictureFile("docs-try-it") });
  await page.getByRole("button", { name: "Try it games.getGame" }).click();
  const reading = page.getByRole("form", { name: "Try games.getGame" });
  await reading.getByLabel("game_id").fill("from-the-docs");
  await reading.getByRole("button", { name: "Send GET" }).click();
  await reading.getByText(/"From the docs"/).waitFor();

  expect(addresses.filter((address) => address.includes(token))).toEqual([]);
  expect(page.url()).toBe(`${foyer.url}/docs/api/games`);
  const kept = await page.evaluate<string>(
    "JSON.stringify([localStorage, sessionStorage, document.cookie, history.state])",
  );
  expect(kept).toBe('[{},{},"",null]');
  expect(JSON.stringify(await context.storageState())).not.toContain(token);
  await page.reload();
  expect(await page.getByLabel("Token for Try it").inputValue()).toBe("");
  expect(complaints).toEqual([]);
});

test("[DC7] try it shows a refusal with its status and request id", patient, async () => {
  const { page } = await open("/docs/api/games");
  await page.getByRole("button", { name: "Try it games.listGames" }).click();
  await page.getByRole("button", { name: "Send GET" }).click();
  await page.getByText(/^401 Unauthorized request id \S+$/).waitFor();
  await page.getByText(/"TOKEN_MISSING"/).waitFor();
  // The browser itself writes down that the answer was a 401.
  expect(complaints).toEqual([expect.stringContaining("401")]);
});

test("[DC7] an event stream is shown while it arrives, and can be stopped", patient, async () => {
  const { page } = await open("/docs/api/namespaces");
  const call = (path: string, body: object) =>
    fetch(`${foyer.url}/cloud/games${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${foyer.adminToken.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await call("", { display_name: "Streams", name_id: "streams" });
  await call("/streams/namespaces", { display_name: "Prod", name_id: "prod" });
  await page.getByLabel("Token for Try it").fill(foyer.adminToken.token);
  await page.getByRole("button", { name: "Try it games.namespaces.events" }).click();
  const form = page.getByRole("form", { name: "Try games.namespaces.events" });
  await form.getByLabel("game_id").fill("streams");
  await form.getByRole("button", { name: "Send GET" }).click();
  await form.getByText("200 OK").waitFor();
  await call("/streams/namespaces/prod/mm-config", { lobby_count_max: 5, max_players: 5 });
  await form.getByText(/event: namespace\.configured/).waitFor();
  await form.getByRole("button", { name: "Stop" }).click();
  await form.getByText("Stopped.").waitFor();
  expect(complaints).toEqual([]);
});

test(
  "[DC7] code is copied as it is printed, with the address of this service; a choice of form holds",
  patient,
  async () => {
    const { context, page } = await open("/docs/api/lobbies");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    const tabs = page.getByRole("tablist", { name: "Example of lobbies.find" });
    const copy = page.locator('.tabs[data-name="lobbies.find"] .panel:not([hidden]) .copy');
    await copy.click();
    await page.getByText("Copied").waitFor();
    expect(await copied()).toContain(`curl ${foyer.url}/matchmaker/lobbies/find \\\n`);
    await tabs.getByRole("tab", { name: "curl" }).focus();
    await page.keyboard.press("ArrowRight");
    await copy.click();
    await expect.poll(copied, { timeout: 60_000 }).toContain("foyer call lobbies.find");
    const other = page.getByRole("tablist", { name: "Example of lobbies.join" });
    expect(await other.getByRole("tab", { name: "foyer" }).getAttribute("aria-selected")).toBe("true");
    expect(complaints).toEqual([]);
  },
);

test("[DC3] addresses of before lead to the operation", patient, async () => {
  for (const path of ["/docs#lobbies.find", "/docs/api#lobbies.find"]) {
    const { page } = await open(path);
    await page.waitForURL(`${foyer.url}/docs/api/lobbies#lobbies.find`);
  }
  expect(complaints).toEqual([]);
});

test("[DC10] on a phone the menu opens and closes, and no page is wider than the screen", patient, async () => {
  const { page } = await open("/docs", phone);
  const urls = [...new Set(await hrefs(page))];
  const menu = page.getByRole("button", { name: "Menu" });
  await menu.click();
  await page.locator("#pages").waitFor({ state: "visible" });
  await page.screenshot({ path: pictureFile("docs-phone-menu") });
  await page.keyboard.press("Escape");
  await page.locator("#pages").waitFor({ state: "hidden" });
  const wide: string[] = [];
  for (const url of urls) {
    await page.goto(foyer.url + url);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (width > 390) wide.push(`${url}: ${width}`);
  }
  expect(wide).toEqual([]);
  for (const [name, url] of [
    ["start", "/docs"],
    ["guide", "/docs/concepts"],
    ["api", "/docs/api/lobbies"],
  ]) {
    await page.goto(foyer.url + url);
    await page.screenshot({ path: pictureFile(`docs-phone-${name}`) });
  }
  expect(complaints).toEqual([]);
});

test("[DC10] axe finds nothing, on any page", patient, async () => {
  const { page } = await open("/docs");
  const urls = [...new Set(await hrefs(page))];
  expect(urls.length).toBeGreaterThan(30);
  const found: string[] = [];
  for (const url of [...urls, "/docs/decisions/0001-contract-as-data"]) {
    await page.goto(foyer.url + url);
    found.push(...(await findViolations(page, "color-contrast")));
  }
  for (const url of ["/docs", "/docs/concepts", "/docs/api", "/docs/api/regions", "/docs/errors"]) {
    await page.goto(foyer.url + url);
    found.push(...(await findViolations(page)));
  }
  await page.keyboard.press("/");
  await page.getByRole("combobox").fill("lobby");
  await page.locator("dialog [role=option]").first().waitFor();
  found.push(...(await findViolations(page)));
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test("[DC10] axe finds nothing in the dark and on a phone, with the forms open", patient, async () => {
  const found: string[] = [];
  for (const [name, options] of [
    ["dark", { ...desk, colorScheme: "dark" as const }],
    ["phone", phone],
  ] as const) {
    const { page } = await open("/docs/api/regions", options);
    await page.getByRole("button", { name: "Try it regions.list" }).click();
    await page.getByRole("button", { name: "Send GET" }).click();
    await page.getByText(/^401 Unauthorized/).waitFor();
    found.push(...(await findViolations(page)));
    for (const url of ["/docs", "/docs/concepts", "/docs/errors", "/docs/settings", "/docs/quick-start"]) {
      await page.goto(foyer.url + url);
      found.push(...(await findViolations(page)));
      await page.screenshot({ path: pictureFile(`docs-${name}${url.slice(5).replaceAll("/", "-")}`) });
    }
  }
  expect(found).toEqual([]);
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
});
