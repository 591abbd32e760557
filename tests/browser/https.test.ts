import { readFileSync } from "node:fs";
import { request } from "node:https";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startFoyer } from "../../src/app/main.ts";
import { type Config, defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { ownRange } from "../runtime/driver.ts";
import { createCertificate } from "../support/certificates.ts";
import { until } from "../support/harness.ts";
import { ensureArenaBuilt } from "../support/server.ts";
import { freePort } from "../support/services/programs.ts";
import { startCaddy, startNginx } from "../support/services/proxies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pictureFile, startChromium } from "./chromium.ts";
import { openPlayer } from "./players.ts";

// A browser and several servers on a machine that may have other work.
const patient = 240_000;
const closing: (() => Promise<unknown>)[] = [];
const readRecipe = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/one-machine/${name}`, import.meta.url)), "utf8");

let browser: Browser;
beforeAll(async () => {
  await ensureArenaBuilt();
  browser = await startChromium();
}, patient);
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => browser?.close());

/** Everything is on one https port; the ports of lobbies are not open to players. */
interface Front {
  readonly port: number;
  readonly foyerPort: number;
  readonly folder: string;
  readonly tlsCert: string;
  readonly tlsKey: string;
}

async function nginxInFront({ port, foyerPort, folder, tlsCert, tlsKey }: Front): Promise<Partial<Config>> {
  const text = replaceAll(readRecipe("nginx.conf"), {
    "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
    "listen 80;": `listen 127.0.0.1:${await freePort()};`,
    "server 127.0.0.1:7100;": `server 127.0.0.1:${foyerPort};`,
    "server_name play.example.com;": "server_name localhost;",
    "/etc/letsencrypt/live/play.example.com/fullchain.pem": tlsCert,
    "/etc/letsencrypt/live/play.example.com/privkey.pem": tlsKey,
  });
  const nginx = await startNginx(folder, text);
  closing.push(() => nginx.stop());
  return { port: foyerPort, trustedProxies: ["127.0.0.1"] };
}

async function caddyInFront({ port, foyerPort, folder, tlsCert, tlsKey }: Front): Promise<Partial<Config>> {
  const text = replaceAll(readRecipe("Caddyfile"), {
    "admin off": "admin off\n\tauto_https disable_redirects\n\tskip_install_trust",
    "play.example.com {": `localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${tlsCert} ${tlsKey}`,
    "127.0.0.1:7100\n}": `127.0.0.1:${foyerPort}\n}`,
  });
  const caddy = await startCaddy(folder, text);
  closing.push(() => caddy.stop());
  return { port: foyerPort, trustedProxies: ["127.0.0.1"] };
}

const foyersOwn = async ({ port, tlsCert, tlsKey }: Front): Promise<Partial<Config>> => ({ port, tlsCert, tlsKey });

test.each([
  ["nginx, with the file of deploy/", nginxInFront],
  ["Caddy, with the file of deploy/", caddyInFront],
  ["Foyer's own TLS", foyersOwn],
] as const)(
  "[GW1] [TS8] two pages on https play over wss behind %s",
  async (_name, open) => {
    const folder = temporaryFolder();
    const [port, foyerPort] = [await freePort(), await freePort()];
    const front = { port, foyerPort, folder, ...(await createCertificate(folder)) };
    const url = `https://localhost:${port}`;
    const complaints: string[] = [];
    const log = createLog({ level: "error", format: "json", destination: { write: (line) => complaints.push(line) } });
    const own = { publicUrl: url, localPort: 0, metricsPort: null, dataDir: temporaryFolder(), lobbyPorts: ownRange() };
    const foyer = await startFoyer(defaultConfig({ ...own, ...(await open(front)) }), log);
    closing.push(() => foyer.close({ stopLobbies: true }));
    await until(() => isUp(port));

    const sockets: string[] = [];
    const options = { ignoreHTTPSErrors: true };
    const players = await Promise.all(
      ["Ada", "Ben"].map((name) => openPlayer(browser, foyer.demoUrl!, name, complaints, options)),
    );
    closing.push(() => Promise.all(players.map(({ page }) => page.context().close())));
    for (const { page } of players) page.on("websocket", (socket) => sockets.push(socket.url()));
    const lobbies = await Promise.all(players.map((player) => player.enter("Play")));
    expect(lobbies[0]).toBe(lobbies[1]);
    for (const player of players) await player.sees("Ada", "Ben");
    expect(sockets).toEqual(Array(2).fill(`wss://localhost:${port}/lobby/${lobbies[0]}/default`));
    await players[0]!.page.screenshot({ path: pictureFile(`https-${port}`) });
    expect(complaints).toEqual([]);
  },
  patient,
);

function replaceAll(text: string, replacements: Record<string, string>): string {
  let replaced = text;
  for (const [from, to] of Object.entries(replacements)) {
    expect(replaced).toContain(from);
    replaced = replaced.replaceAll(from, to);
  }
  return replaced;
}

function isUp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ host: "localhost", port, path: "/readyz", rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.once("error", () => resolve(false)).end();
  });
}
