import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  externalConfig,
  type NamespaceAtHand,
  noteIssued,
  type Service,
  startService,
} from "../support/harness.ts";
import { ensureDashboardBuilt } from "../support/server.ts";
import { pictureFile, startChromium } from "./chromium.ts";

const patient = { timeout: 240_000 };
let browser: Browser;
let service: Service;
let namespace: NamespaceAtHand;
let versionId: string;
let base: string;
const complaints: string[] = [];

beforeAll(async () => {
  await ensureDashboardBuilt();
  [browser, service] = await Promise.all([startChromium(), startService("sqlite")]);
  const game = await createGame(service, "harbour");
  namespace = await createNamespace(service, game, { nameId: "prod" });
  versionId = await createVersion(service, game);
  await service.admin("PUT", `${namespace.path}/version`, { version_id: versionId });
  base = `/dashboard/games/${game.nameId}/namespaces/${namespace.nameId}`;
}, patient.timeout);

beforeEach(() => {
  complaints.length = 0;
});

afterEach(async () => {
  for (const { lobby_id } of (await service.admin("GET", `${namespace.path}/lobbies`)).lobbies) {
    await service.admin("DELETE", `${namespace.path}/lobbies/${lobby_id}`);
  }
  for (const context of browser?.contexts() ?? []) await context.close();
  expect(complaints).toEqual([]);
});

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** A page with the token in the storage of its tab, as after a sign-in that is kept. */
async function open(path: string, token = service.adminToken): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // Colours that are still changing would be judged, too.
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await context.addInitScript(`sessionStorage.setItem("foyer-token", ${JSON.stringify(token)})`);
  const page = await context.newPage();
  page.on("console", (message) => {
    // The browser itself notes each answer that is an error; the tests provoke some.
    const isNote = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !isNote) complaints.push(message.text());
  });
  page.on("pageerror", (fault) => complaints.push(fault.message));
  page.on("request", (request) => {
    if (new URL(request.url()).host !== new URL(service.url).host) complaints.push(`A request to ${request.url()}`);
  });
  await page.goto(`${service.url}${path}`);
  return page;
}

/** Pictures in light, dark and on a phone; and what axe objects to in each. */
async function look(page: Page, name: string): Promise<void> {
  const sizes = [
    ["", { width: 1280, height: 800 }, "light"],
    ["-dark", { width: 1280, height: 800 }, "dark"],
    ["-phone", { width: 390, height: 844 }, "light"],
  ] as const;
  for (const [suffix, viewport, colorScheme] of sizes) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: pictureFile(`dashboard-${name}${suffix}`), fullPage: true });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160))}`)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Confirms the dialog that the button opens. */
async function change(page: Page, button: string): Promise<void> {
  await page.getByRole("button", { name: button, exact: true }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: button, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

async function register(of: NamespaceAtHand): Promise<{ lobbyId: string; token: string }> {
  const { token } = await createToken(service, of, "server");
  const ports = { default: { hostname: "127.0.0.1", port: 9000, is_tls: false } };
  const body = { game_mode: "duel", region: "local", ports };
  const { json } = await service.request("POST", "/matchmaker/lobbies/register", { token, body });
  await service.request("POST", "/matchmaker/lobbies/ready", { token: json.token });
  return { lobbyId: json.lobby_id, token: json.token };
}

test("[DB6] [DB7] a find is explained before it happens, and a refused one afterwards", patient, async () => {
  const { lobbyId } = await register(namespace);
  const page = await open(`${base}/find`);
  const attempt = page.getByRole("button", { name: "Try this find" });
  await attempt.click();
  await page.getByText("chosen", { exact: true }).waitFor();
  await page.getByRole("heading", { name: `lobby ${lobbyId.slice(-8)}` }).waitFor();
  await look(page, "find");

  await service.admin("PUT", `${namespace.path}/lobbies/${lobbyId}/closed`, { is_closed: true });
  await attempt.click();
  await page.getByText("The find would be refused").waitFor();
  await page.getByRole("cell", { name: /closed by the operator/i }).waitFor();

  const { token } = await createToken(service, namespace, "pub");
  const body = { game_modes: ["duel"] };
  expect((await service.request("POST", "/matchmaker/lobbies/find", { token, body })).status).toBe(409);
  await page.getByRole("link", { name: "Decisions" }).click();
  await page.locator(".decision", { hasText: "MATCHMAKER_NO_AVAILABLE_LOBBIES" }).first().waitFor();
  await page.getByText("The lobby that there was").first().click();
  await page
    .getByRole("cell", { name: /closed by the operator/i })
    .first()
    .waitFor();
  await look(page, "decisions");
});

test("[DB8] the page of limits says what a change means before it is saved", patient, async () => {
  await register(namespace);
  const page = await open(`${base}/limits`);
  const lobbies = page.getByLabel("Lobbies", { exact: true });
  await lobbies.fill("-4");
  await page.locator(".issues", { hasText: /\w/ }).waitFor();
  expect(await page.getByRole("button", { name: "Save limits" }).isDisabled()).toBe(true);
  await lobbies.fill("0");
  await page.getByText("1 lobby runs, and none is stopped.").waitFor();
  await look(page, "limits");
  await page.getByRole("button", { name: "Save limits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Do this in a terminal").click();
  await dialog.getByText("foyer call games.namespaces.updateGameNamespaceMatchmakerConfig harbour prod").waitFor();
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await dialog.waitFor({ state: "detached" });
  const { namespace: saved } = await service.admin("GET", namespace.path);
  expect(saved.matchmaker).toMatchObject({ lobby_count_max: 0, max_players: 100 });
  await service.admin("POST", `${namespace.path}/mm-config`, { lobby_count_max: 1000, max_players: 100 });
});

test("[DB9] domains are added and removed; a bad one is refused with code and request id", patient, async () => {
  const page = await open(`${base}/domains`);
  await page.getByLabel("Domain").fill("not_a_domain");
  await page.getByRole("button", { name: "Add domain" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add domain" }).click();
  await dialog.getByText("CLOUD_INVALID_DOMAIN").waitFor();
  await dialog.getByText("Request", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByLabel("Domain").fill("play.example.com");
  await change(page, "Add domain");
  await page.getByRole("cell", { name: "play.example.com" }).waitFor();
  await change(page, "Turn on");
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  await look(page, "domains");
  const { namespace: saved } = await service.admin("GET", namespace.path);
  expect(saved).toMatchObject({ domains: [{ domain: "play.example.com" }], domain_public_auth: { enabled: true } });
  await change(page, "Remove");
  await page.getByRole("heading", { name: "No domains" }).waitFor();
});

test("[DB10] a token is shown once, works, and is revoked", patient, async () => {
  const page = await open(`${base}/tokens`);
  await change(page, "New public token");
  const token = (await page.locator(".notice pre").textContent())!;
  noteIssued(token);
  expect(token).toMatch(/^pub_/);
  await page.getByRole("button", { name: "Copy token" }).click();
  await page.getByText("The token is copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
  const regions = () => service.request("GET", "/matchmaker/regions", { token });
  expect((await regions()).status).toBe(200);
  await page.getByRole("button", { name: "I have it" }).click();
  expect(await page.content()).not.toContain(token);
  await change(page, "Revoke");
  await page.getByText("revoked", { exact: true }).first().waitFor();
  expect((await regions()).status).toBe(401);
  await look(page, "tokens");
});

test("[DB11] a version is written with help, compared, deployed and rolled back", patient, async () => {
  await register(namespace);
  const page = await open(`${base}/versions`);
  await page.getByRole("link", { name: "New version" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Second");
  const editor = page.getByRole("textbox", { name: "Document" });
  await editor.fill("{");
  await page.getByText("This is not JSON").waitFor();
  const config = structuredClone(externalConfig);
  await editor.fill(JSON.stringify({ ...config, game_modes: { duel: { ...config.game_modes.duel, max_player: 3 } } }));
  await page.locator(".issues", { hasText: "max_player" }).waitFor();
  config.game_modes.duel.max_players = 3;
  await editor.fill(JSON.stringify(config, null, 2));
  await page.getByLabel("Search").fill("reconnect");
  await page.locator(".fields", { hasText: "game_modes.{name}.timeouts.reconnect_s" }).waitFor();
  await look(page, "new-version");
  await change(page, "Make version");

  await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
  await page.locator(".diff .added", { hasText: '"max_players": 3' }).waitFor();
  await page.locator(".diff .removed", { hasText: '"max_players": 2' }).waitFor();
  await look(page, "version");
  await change(page, "Deploy");
  await page.getByRole("button", { name: "Deploy" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByText(/older versions that still run: 1, with 0 players/).waitFor();
  await look(page, "versions");
  await change(page, "Roll back to this");
  await page.getByText(/of older versions that still run/).waitFor({ state: "detached" });
  const { namespace: saved } = await service.admin("GET", namespace.path);
  expect(saved.version_id).toBe(versionId);
});

test("[DB12] nodes and cloud tokens are for admins; a cloud token does not see them", patient, async () => {
  const page = await open("/dashboard/nodes");
  await page.getByText("has the lease", { exact: true }).waitFor();
  await look(page, "nodes");
  await page.goto(`${service.url}/dashboard/games/harbour/tokens`);
  await change(page, "New cloud token");
  const made = (await page.locator(".notice pre").textContent())!;
  noteIssued(made);
  expect(made).toMatch(/^cloud_/);
  await page.getByRole("button", { name: "I have it" }).click();
  await look(page, "cloud-tokens");

  const { token } = await createCloudToken(service, namespace.game);
  const other = await open(base, token);
  await other.getByRole("link", { name: "Limits" }).waitFor();
  for (const name of ["Nodes", "Cloud tokens"]) expect(await other.getByRole("link", { name }).count()).toBe(0);
  await other.goto(`${service.url}/dashboard/nodes`);
  await other.getByRole("heading", { level: 1 }).waitFor();
  expect(await other.getByText("has the lease", { exact: true }).count()).toBe(0);
});
