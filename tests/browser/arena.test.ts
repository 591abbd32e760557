import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { ownRange } from "../runtime/driver.ts";
import { clientOf, noteIssued, until } from "../support/harness.ts";
import { ensureArenaBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pictureFile, startChromium } from "./chromium.ts";
import { openPlayer, type Player } from "./players.ts";

// A browser and several servers on a machine that may have other work.
const patient = { timeout: 240_000 };
const secondsToPlay = 10;

let browser: Browser;
let foyer: RunningFoyer;
let play: string;
const complaints: string[] = [];

beforeAll(async () => {
  await ensureArenaBuilt();
  const dataDir = temporaryFolder();
  const log = createLog({ level: "error", format: "json", destination: { write: (line) => complaints.push(line) } });
  [browser, foyer] = await Promise.all([
    startChromium(),
    startFoyer(defaultConfig({ port: 0, metricsPort: null, dataDir, lobbyPorts: ownRange() }), log),
  ]);
  play = foyer.demoUrl ?? "";
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

function open(name: string, address = play, options = {}): Promise<Player> {
  return openPlayer(browser, address, name, complaints, options);
}

const invitation = (lobbyId: string) => `${play}?lobby=${lobbyId}`;

test("two pages play in one lobby; a closed lobby takes only those who were invited", patient, async () => {
  const [ada, ben] = [await open("Ada", play, { colorScheme: "dark" }), await open("Ben")];
  await ada.page.screenshot({ path: pictureFile("arena-start") });
  const deadline = AbortSignal.timeout(secondsToPlay * 1000);
  const lobbies = await Promise.all([ada.enter("Play"), ben.enter("Play")]);
  await Promise.all([ada.sees("Ada", "Ben"), ben.sees("Ada", "Ben")]);
  expect(deadline.aborted).toBe(false);
  expect(lobbies[0]).toBe(lobbies[1]);
  const lobby = lobbies[0]!;

  await until(async () => (await ben.positions()).Ada !== undefined);
  const before = (await ben.positions()).Ada!;
  const key = before.x < 800 ? "ArrowRight" : "ArrowLeft";
  await ada.page.keyboard.down(key);
  await until(async () => Math.abs((await ben.positions()).Ada!.x - before.x) > 150);
  await ada.page.screenshot({ path: pictureFile("arena-playing") });
  await ada.page.keyboard.up(key);
  await until(async () => {
    const [own, seen] = [(await ada.positions()).Ada!, (await ben.positions()).Ada!];
    return Math.hypot(own.x - seen.x, own.y - seen.y) < 3;
  });

  await ben.page.getByRole("button", { name: "New round" }).click();
  for (const { page } of [ada, ben]) await page.locator("#lobby-state", { hasText: /^closed$/ }).waitFor();
  const cleo = await open("Cleo");
  expect(await cleo.enter("Play")).not.toBe(lobby);
  await cleo.sees("Cleo");
  const dan = await open("Dan", invitation(lobby));
  expect(await dan.enter("Join")).toBe(lobby);
  await ada.sees("Ada", "Ben", "Dan");
  await ada.page.locator("#clock", { hasText: /^0:/ }).waitFor();
  await ada.page.screenshot({ path: pictureFile("arena-round") });
  await ben.page.screenshot({ path: pictureFile("arena-round-light") });

  await dan.page.getByRole("button", { name: "Leave" }).click();
  await ada.sees("Ada", "Ben");
  expect(complaints).toEqual([]);
});

test("[EX1] no other script of the page's origin runs, nor the page's own without its hash", patient, async () => {
  const ann = await open("Ann");
  const blocked = await ann.page.evaluate<string[]>(`new Promise((resolve) => {
    const blocked = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
      blocked.push(effectiveDirective + " " + new URL(blockedURI, location).pathname);
      if (blocked.length === 2) resolve(blocked.sort());
    });
    for (const path of ["/play/play.js", "/play/lobby-of-a-stranger.js"]) {
      document.head.append(Object.assign(document.createElement("script"), { src: path }));
    }
  })`);
  expect(blocked).toEqual(["script-src-elem /play/lobby-of-a-stranger.js", "script-src-elem /play/play.js"]);
  expect(complaints.filter((line) => !line.includes("Content Security Policy"))).toEqual([]);
});

test("a friend joins a private lobby by its code, typed in lower case", patient, async () => {
  const lea = await open("Lea");
  const lobby = await lea.enter("Private lobby for friends");
  await lea.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await lea.page.getByRole("button", { name: /^Code / }).click();
  await lea.page.getByText("Code copied.").waitFor();
  const code = await lea.page.evaluate<string>("navigator.clipboard.readText()");
  expect(code).toMatch(/^[A-Z2-9]{3}-[A-Z2-9]{3}$/);
  await lea.page.screenshot({ path: pictureFile("arena-code") });
  const max = await open("Max");
  await max.page.getByLabel("Code from a friend").fill(code.toLowerCase());
  await max.page.screenshot({ path: pictureFile("arena-code-field") });
  expect(await max.enter("Join by code")).toBe(lobby);
  await lea.sees("Lea", "Max");
  expect(complaints).toEqual([]);
});

test("a reload returns to the same seat, and the others learn of it", patient, async () => {
  const mia = await open("Mia");
  const lobby = await mia.enter("Private lobby for friends");
  const ned = await open("Ned", invitation(lobby));
  await ned.enter("Join");
  await ned.sees("Mia", "Ned");
  const before = await mia.page.evaluate<string>("arena.playerId()");
  await mia.page.reload();
  await mia.page.locator("#hud").waitFor({ state: "visible" });
  expect(await mia.lobbyId()).toBe(lobby);
  expect(await mia.page.evaluate<string>("arena.playerId()")).toBe(before);
  await ned.page.getByText("Mia is back.").waitFor();
  await ned.sees("Mia", "Ned");

  await mia.page.getByRole("button", { name: "Leave" }).click();
  await ned.sees("Ned");
  await mia.page.reload();
  await mia.page.getByRole("button", { name: "Play", exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test("a private lobby is entered by its link", patient, async () => {
  const eve = await open("Eve");
  const lobby = await eve.enter("Private lobby for friends");
  expect(eve.page.url()).toBe(invitation(lobby));
  const fay = await open("Fay");
  expect(await fay.enter("Play")).not.toBe(lobby);
  const gus = await open("Gus", eve.page.url());
  await gus.page.getByText(`You are invited to lobby ${lobby.slice(-4)}.`).waitFor();
  expect(await gus.enter("Join")).toBe(lobby);
  await eve.sees("Eve", "Gus");
  expect(complaints).toEqual([]);
});

test("an invitation that leads nowhere is explained in words, and one can play all the same", patient, async () => {
  const unknown = "01890000-0000-7000-8000-000000000000";
  const hal = await open("Hal", invitation(unknown));
  await hal.page.getByRole("button", { name: "Join", exact: true }).click();
  await hal.page.getByRole("alert").filter({ hasText: /lobby/i }).waitFor();
  await hal.enter("Play");
  await hal.sees("Hal");
  // The browser itself writes down that the answer was a 404.
  expect(complaints).toEqual([expect.stringContaining("404")]);
});

test("on a phone the field follows the player, who is moved by a finger", patient, async () => {
  const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
  const ida = await open("Ida", play, { ...phone, colorScheme: "light" });
  await ida.enter("Play");
  await until(async () => (await ida.positions()).Ida !== undefined);
  const before = (await ida.positions()).Ida!;
  const away = before.x < 800 ? 80 : -80;
  await ida.page.mouse.move(195, 500);
  await ida.page.mouse.down();
  await ida.page.mouse.move(195 + away, 500);
  await until(async () => Math.abs((await ida.positions()).Ida!.x - before.x) > 150);
  await ida.page.screenshot({ path: pictureFile("arena-phone") });
  await ida.page.mouse.up();
  expect(complaints).toEqual([]);
});

test("after its round a lobby is open again", patient, async () => {
  noteIssued(foyer.adminToken.token);
  const { admin } = clientOf("sqlite", foyer.url, foyer.adminToken.token);
  const kept = JSON.parse(readFileSync(join(foyer.dataDir, "demo.json"), "utf8"));
  const game = `/cloud/games/${kept.game_id}`;
  const { version } = await admin("GET", `${game}/versions/${kept.version_id}`);
  version.config.game_modes.arena.runtime.process.env.ARENA_ROUND_S = "1";
  const made = await admin("POST", `${game}/versions`, { display_name: "Short rounds", config: version.config });
  await admin("PUT", `${game}/namespaces/demo/version`, made);

  const jan = await open("Jan");
  const lobby = await jan.enter("Play");
  await jan.page.getByRole("button", { name: "New round" }).click();
  await jan.page.getByText(/^Jan wins with \d+$/).waitFor();
  await jan.page.locator("#lobby-state", { hasText: /^open$/ }).waitFor();
  const kim = await open("Kim");
  await until(async () => (await admin("GET", `${game}/namespaces/demo/lobbies/${lobby}`)).lobby.is_closed === false);
  expect(await kim.enter("Play")).toBe(lobby);
  await jan.sees("Jan", "Kim");
  expect(complaints).toEqual([]);
});
