import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

/** A real browser of this machine, without a window. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  const executablePath = requireChromium();
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Every page of a test is looked at, though only one can be in front.
      "--disable-background-timer-throttling",
      "--disable-backgrounding-occluded-windows",
      "--disable-renderer-backgrounding",
    ],
  });
}

/** Where a picture of a page goes, for people to look at after a run. */
export function pictureFile(name: string): string {
  const folder = fileURLToPath(new URL("../../test-output/browser", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}

function findChromium(): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""), "/usr/bin"];
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const applications = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...applications];
  return candidates.find((file) => existsSync(file)) ?? null;
}

function requireChromium(): string {
  const installed = findChromium();
  if (installed) return installed;
  throw new Error("The browser tests need Chromium or Chrome. Run `npm run setup`.");
}
