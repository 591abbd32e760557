import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startChromium } from "./chromium.ts";
import { listKept, openDashboard, type Shown, signIn, startShown } from "./dashboard.ts";

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

const newCode = async () => (await shown.admin("POST", "/cloud/sign-in-codes")).code as string;
/** The browser itself notes answers that are not a success. */
const besidesRefusals = () => complaints.filter((text) => !/status of 40[13]/.test(text));

test("[DB23] a sign-in address signs in once; the code leaves the address, and no token is kept", patient, async () => {
  const address = `${shown.foyer.url}/#sign-in=${await newCode()}`;
  const page = await openDashboard(browser, address, complaints);
  await page.getByRole("heading", { name: "Games", level: 1 }).waitFor();
  await page.getByText("Signed in with a sign-in link").waitFor();
  const { lasting, session, address: shownAddress } = await listKept(page);
  expect({ lasting, session, address: shownAddress }).toEqual({
    lasting: "{}",
    session: "{}",
    address: `${shown.foyer.url}/dashboard`,
  });
  expect(complaints).toEqual([]);

  const again = await openDashboard(browser, address, complaints);
  await again.getByText("This sign-in link does not work any longer").waitFor();
  expect((await listKept(again)).address).not.toContain("sign-in");
  expect(besidesRefusals()).toEqual([]);
});

test("[DB23] signing out ends the session of a sign-in address", patient, async () => {
  const page = await openDashboard(browser, `${shown.foyer.url}/#sign-in=${await newCode()}`, complaints);
  await page.getByLabel("Stay signed in when I reload").check();
  const token = /session_[\w-]+/.exec((await listKept(page)).session)![0];
  await page.reload();
  await page.getByText("Signed in with a sign-in link").waitFor();
  const ended = page.waitForResponse((response) => response.request().method() === "DELETE");
  await page.getByRole("button", { name: "Sign out" }).click();
  expect((await ended).status()).toBe(204);
  await page.getByLabel("Token").waitFor();
  expect((await listKept(page)).session).toBe("{}");
  const answer = await fetch(`${shown.foyer.url}/cloud/whoami`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(401);
  expect(shown.log.join("")).not.toContain(token);
});

test(
  "[DB24] a token signs in, stays in memory unless the user wants it kept in the tab, and leads to the address of the link",
  patient,
  async () => {
    const deep = `${shown.foyer.url}/dashboard/games/arena/namespaces/demo/lobbies`;
    const page = await openDashboard(browser, deep, complaints);
    await page.getByLabel("Token").fill("admin_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Foyer does not accept this token here.").waitFor();
    const { token } = shown.foyer.adminToken;
    await signIn(page, token);
    await page.getByRole("heading", { name: "Lobbies", level: 1 }).waitFor();
    expect(await listKept(page)).toEqual({ lasting: "{}", session: "{}", address: deep });
    await page.reload();
    await page.getByLabel("Token").waitFor();
    await page.getByLabel("Stay signed in").check();
    await signIn(page, token);
    await page.reload();
    await page.getByRole("heading", { name: "Lobbies", level: 1 }).waitFor();
    const { lasting, session } = await listKept(page);
    expect(lasting).toBe("{}");
    expect(session).toContain(token);
    expect(besidesRefusals()).toEqual([]);
    expect(shown.log.join("")).not.toContain(token);
  },
);

test(
  "[DB25] a token that is no longer accepted leads to the sign-in with a sentence, and from there back",
  patient,
  async () => {
    const { token, token_id } = await shown.admin("POST", "/cloud/games/arena/tokens/cloud", {});
    const page = await openDashboard(browser, `${shown.foyer.url}/dashboard/games/arena`, complaints);
    await signIn(page, token);
    await page.getByRole("heading", { name: "Arena", level: 1 }).waitFor();
    await shown.admin("DELETE", `/cloud/games/arena/tokens/${token_id}`);
    await page.getByRole("link", { name: /^Demo/ }).first().click();
    await page.getByText("Foyer no longer accepts your token").waitFor();
    await signIn(page, shown.foyer.adminToken.token);
    await page.getByRole("heading", { name: "Demo", level: 1 }).waitFor();
    expect(besidesRefusals()).toEqual([]);
  },
);

test("[DB26] a cloud token sees its game, and nothing that it may not do", patient, async () => {
  await shown.admin("POST", "/cloud/games", { display_name: "Another Game", name_id: "another-game" });
  const { token } = await shown.admin("POST", "/cloud/games/arena/tokens/cloud", {});
  const page = await openDashboard(browser, `${shown.foyer.url}/dashboard`, complaints);
  await signIn(page, token);
  await page
    .getByRole("link", { name: /^Arena/ })
    .first()
    .waitFor();
  expect(await page.getByText("Another Game").count()).toBe(0);
  expect(await page.getByRole("button", { name: "New game" }).count()).toBe(0);
  await page
    .getByRole("link", { name: /^Arena/ })
    .first()
    .click();
  await page.getByRole("button", { name: "New namespace" }).waitFor();
  expect(await page.getByRole("button", { name: "Delete game" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
