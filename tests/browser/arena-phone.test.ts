import { once } from "node:events";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type RunningFoyer, startFoyer } from "../../src/app/main.ts";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { ownRange } from "../runtime/driver.ts";
import { until } from "../support/harness.ts";
import { ensureArenaBuilt } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pictureFile, startChromium } from "./chromium.ts";
import { openPlayer } from "./players.ts";

// A browser and several servers on a machine that may have other work.
const patient = { timeout: 240_000 };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
// Cast: the library of the example's server has no types.
const { WebSocket } = createRequire(import.meta.url)("ws");

let browser: Browser;
let foyer: RunningFoyer;
let play: string;
const complaints: string[] = [];
const sockets: { close(code: number, reason: string): void }[] = [];

beforeAll(async () => {
  await ensureArenaBuilt();
  const log = createLog({ level: "error", format: "json", destination: { write: (line) => complaints.push(line) } });
  const config = { port: 0, metricsPort: null, dataDir: temporaryFolder(), lobbyPorts: ownRange() };
  [browser, foyer] = await Promise.all([startChromium(), startFoyer(defaultConfig(config), log)]);
  play = foyer.demoUrl ?? "";
}, patient.timeout);

beforeEach(() => {
  complaints.length = 0;
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close(1000, "left");
  for (const context of browser.contexts()) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await foyer?.close({ stopLobbies: true });
});

/** More players in the lobby, without pages. */
async function fill(lobbyId: string, names: readonly string[]): Promise<void> {
  const { public_token: token } = (await (await fetch(`${play}/config.json`)).json()) as { public_token: string };
  for (const name of names) {
    const answer = await fetch(`${foyer.url}/matchmaker/lobbies/join`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ lobby_id: lobbyId }),
    });
    // Cast: the join answer of the contract.
    const { ports, player } = (await answer.json()) as { ports: { default: { url: string } }; player: object };
    const socket = new WebSocket(ports.default.url);
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "hello", ...player, name }));
    await once(socket, "message");
    sockets.push(socket);
  }
}

/** The parts of the page that lie at least partly outside of it. */
function listCutOff(page: Page): Promise<string[]> {
  const visible = "#hud button, #hud .chip, #lobby-name, #clock, #players li";
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(visible)})]
    .map((part) => ({ part, box: part.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight))
    .map(({ part }) => part.id || part.textContent)`);
}

const names = ["Bartholomew the 2", "Cleo", "Dan", "Eve-Marie", "Fay", "Gus", "Wilhelmina"];

test.each([
  ["phone", phone],
  ["desktop", { viewport: { width: 1280, height: 800 } }],
])(
  "on a %s with eight players nothing is cut off during a round, and no list covers the field",
  patient,
  async (name, options) => {
    const ada = await openPlayer(browser, play, "Ada", complaints, options);
    const lobby = await ada.enter("Private lobby for friends");
    await fill(lobby, names);
    await until(async () => (await ada.page.locator("#players li").count()) === 8);
    await ada.page.screenshot({ path: pictureFile(`arena-${name}-full`) });
    await ada.page.getByRole("button", { name: "New round" }).click();
    await ada.page.locator("#clock", { hasText: /^\d:/ }).waitFor();
    await ada.page.screenshot({ path: pictureFile(`arena-${name}-round`) });
    expect(await listCutOff(ada.page)).toEqual([]);
    const covered = await ada.page.evaluate(`(() => {
    const list = document.getElementById("players").getBoundingClientRect();
    const { top, bottom } = arena.field();
    return list.top < bottom && list.bottom > top;
  })()`);
    expect(covered).toBe(false);
    expect(complaints).toEqual([]);
  },
);

test("the list keeps the focus, and offers no seat in a full lobby", patient, async () => {
  const ada = await openPlayer(browser, play, "Ada", complaints);
  const lobby = await ada.enter("Play");
  const ben = await openPlayer(browser, play, "Ben", complaints);
  const join = ben.page.getByRole("button", { name: "Join: Ada" });
  await join.focus();
  await ben.page.evaluate("globalThis.focused = document.activeElement");
  await fill(lobby, names.slice(0, 2));
  await ben.page.getByText("3/8").waitFor();
  expect(await ben.page.evaluate("document.activeElement === globalThis.focused")).toBe(true);
  await fill(lobby, names.slice(2));
  const full = ben.page.getByRole("button", { name: /^Full: Ada/ });
  await full.waitFor();
  expect(await full.isDisabled()).toBe(true);
  await ben.page.screenshot({ path: pictureFile("arena-list-full") });
  expect(complaints).toEqual([]);
});

test("a player who waits reads why, and no text of the API", patient, async () => {
  const hal = await openPlayer(browser, play, "Hal", complaints, phone);
  let answer = () => {};
  const isHeld = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await hal.page.route("**/lobbies/find", async (route) => {
    await isHeld;
    const body = { code: "MATCHMAKER_TOO_MANY_LOBBIES", message: "The namespace has reached its maximum." };
    await route.fulfill({ status: 409, contentType: "application/json", body: JSON.stringify(body) });
  });
  await hal.page.getByRole("button", { name: "Play", exact: true }).click();
  await hal.page.getByText("Looking for a lobby …").waitFor();
  await hal.page.getByText("A lobby is being started for you.").waitFor();
  await hal.page.screenshot({ path: pictureFile("arena-phone-searching") });
  answer();
  await hal.page.getByRole("alert").filter({ hasText: "All lobbies are in use right now." }).waitFor();
  expect(await hal.page.getByText("namespace").count()).toBe(0);
});

test("after a broken connection the page returns to the seat, with several tries and a word", patient, async () => {
  const keepSockets = `globalThis.opened = []; globalThis.WebSocket = class extends WebSocket {
    constructor(address) { super(address); opened.push(this); } };`;
  const ida = await openPlayer(browser, play, "Ida", complaints);
  await ida.page.addInitScript(keepSockets);
  await ida.page.reload();
  const lobby = await ida.enter("Play");
  const player = await ida.page.evaluate("arena.playerId()");
  let broken = 0;
  await ida.page.route("**/players/resume", async (route) => {
    broken += 1;
    if (broken <= 2) await route.abort();
    else await route.continue();
  });
  await ida.page.evaluate("opened.at(-1).close(3001)");
  await ida.page.getByText(/Returning to your seat … \(try 2 of \d\)/).waitFor();
  await ida.page.locator("#hud").waitFor({ state: "visible" });
  expect([await ida.lobbyId(), await ida.page.evaluate("arena.playerId()"), broken]).toEqual([lobby, player, 3]);

  await ida.page.unroute("**/players/resume");
  await ida.page.route("**/players/resume", (route) =>
    route.fulfill({
      status: 410,
      contentType: "application/json",
      body: '{"code":"MATCHMAKER_PLAYER_REMOVED","message":"x"}',
    }),
  );
  await ida.page.evaluate("opened.at(-1).close(3001)");
  await ida.page
    .getByRole("alert")
    .filter({ hasText: "You could not return to your seat. The lobby has ended, or your seat was given away." })
    .waitFor();
  await ida.page.getByRole("button", { name: "Play", exact: true }).waitFor();
});
