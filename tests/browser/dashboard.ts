import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { ownRange } from "../runtime/driver.ts";
import { clientOf } from "../support/harness.ts";
import { ensureArenaBuilt, ensureDashboardBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A service with the demo and the dashboard, and everything that it logs. */
export interface Shown {
  readonly foyer: RunningFoyer;
  readonly log: readonly string[];
  readonly admin: ReturnType<typeof clientOf>["admin"];
  close(): Promise<void>;
}

export async function startShown(): Promise<Shown> {
  await ensureDashboardBuilt();
  await ensureArenaBuilt();
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", destination: { write: (line) => lines.push(line) } });
  const config = { port: 0, metricsPort: null, dataDir: temporaryFolder(), lobbyPorts: ownRange() };
  const foyer = await startFoyer(defaultConfig(config), log);
  const { admin } = clientOf("sqlite", foyer.url, foyer.adminToken.token);
  return { foyer, log: lines, admin, close: () => foyer.close({ stopLobbies: true }) };
}

/** A page of the dashboard in a window of its own. What is wrong with it is added to the list. */
export async function openDashboard(
  browser: Browser,
  address: string,
  complaints: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  // A browser and several servers on a machine that may have other work.
  page.setDefaultTimeout(60_000);
  const { host } = new URL(address);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (fault) => complaints.push(fault.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.host !== host) complaints.push(`A request to ${url.host}`);
    if (/(?:admin|cloud|session)_/.test(request.url())) complaints.push("A token in an address");
  });
  await page.goto(address);
  return page;
}

/** Fills in the token and waits for the page behind the sign-in. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator("#main").waitFor();
}

/** What axe objects to on the page. */
export async function listViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

/** Everything that the page could leave behind in the browser, as text. */
export function listKept(page: Page): Promise<{ lasting: string; session: string; address: string }> {
  return page.evaluate(`({
    lasting: JSON.stringify(localStorage) + document.cookie,
    session: JSON.stringify(sessionStorage),
    address: location.href,
  })`);
}
