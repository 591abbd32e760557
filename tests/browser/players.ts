import type { Browser, Page } from "playwright-core";
import { until } from "../support/harness.ts";

/** A player of the example game with a separate browser. */
export interface Player {
  readonly name: string;
  readonly page: Page;
  /** The lobby the page is in; null: it is at the start. */
  lobbyId(): Promise<string | null>;
  /** Where this page shows everybody, by name. */
  positions(): Promise<Record<string, { x: number; y: number }>>;
  /** Clicks the button and waits until the page is in a lobby. */
  enter(button: "Play" | "Join" | "Join by code" | "Private lobby for friends"): Promise<string>;
  /** Waits until the page lists exactly these players. */
  sees(...names: string[]): Promise<void>;
}

/** A page at the address, in a window of its own. What its console complains about is added to the list. */
export async function openPlayer(
  browser: Browser,
  address: string,
  name: string,
  complaints: string[],
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Player> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${name}: ${message.text()}`);
  });
  page.on("pageerror", (fault) => complaints.push(`${name}: ${fault.message}`));
  await page.goto(address);
  await page.getByLabel("Your name").fill(name);
  // Cast: expressions of the page are text to this program, and what they give is as the page says.
  const lobbyId = () => page.evaluate<string | null>("arena.lobbyId()");
  return {
    name,
    page,
    lobbyId,
    positions: () => page.evaluate<Record<string, { x: number; y: number }>>("arena.positions()"),
    async enter(button) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.locator("#hud").waitFor({ state: "visible" });
      return (await lobbyId()) ?? "";
    },
    async sees(...names) {
      const wanted = [...names].sort().join();
      await until(async () => (await page.locator("#players .name").allTextContents()).sort().join() === wanted);
    },
  };
}
