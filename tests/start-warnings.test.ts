import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startWarnings } from "../src/app/start-warnings.ts";
import { defaultConfig } from "../src/config/config.ts";
import { type Service, startService } from "./support/harness.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

test("[O19] a start warns of cloud tokens that run programs as Foyer's own user", () => {
  const folder = temporaryFolder();
  const warnings = (config: Parameters<typeof defaultConfig>[0]) => startWarnings(defaultConfig(config), folder);
  expect(warnings({})).toEqual([]);
  expect(warnings({ processTrust: "cloud" })).toEqual([expect.stringContaining("lobby_user is not set")]);
  expect(warnings({ processTrust: "cloud", lobbyUser: "games" })).toEqual([]);
  expect(warnings({ processTrust: "cloud", runtimes: ["external"] })).toEqual([]);
});

test("[O19] a start warns of a data folder that others may write to", () => {
  const folder = temporaryFolder();
  for (const [mode, count] of [
    [0o700, 0],
    [0o755, 0],
    [0o777, 1],
  ] as const) {
    chmodSync(folder, mode);
    expect(startWarnings(defaultConfig(), folder)).toHaveLength(count);
  }
});

test("[VF9] a start on all addresses without public_url warns, and names what players get", () => {
  const warnings = (config: Parameters<typeof defaultConfig>[0]) =>
    startWarnings(defaultConfig({ host: "0.0.0.0", lobbyPorts: "5000-5009", ...config }), temporaryFolder());
  const public_url = "Set public_url to the address that players use, such as http://";
  const local = [expect.stringMatching(/^host is 0\.0\.0\.0 .+ the address 127\.0\.0\.1, ports 5000-5009/)];
  expect(warnings({})).toEqual(local);
  expect(warnings({})).toEqual([expect.stringContaining(public_url)]);
  expect(warnings({ lobbyHostname: "play.example.com" })).toEqual([expect.stringContaining("play.example.com, ports")]);
  expect(warnings({ publicUrl: "http://192.0.2.1:7100" })).toEqual([]);
  expect(warnings({ host: "127.0.0.1" })).toEqual([]);
  expect(warnings({ host: "::" })).toHaveLength(1);
});

test("[TS7] a certificate with an http address for players warns", () => {
  const tls = { tlsCert: "cert.pem", tlsKey: "key.pem" };
  const warnings = (config: Parameters<typeof defaultConfig>[0]) =>
    startWarnings(defaultConfig({ ...tls, ...config }), temporaryFolder());
  expect(warnings({ publicUrl: "http://a.example" })).toEqual([expect.stringMatching(/public_url is http:\/\/a/)]);
  expect(warnings({ publicUrl: "https://a.example", gatewayUrl: "http://b.example" })).toEqual([
    expect.stringMatching(/gateway_url is http:\/\/b/),
  ]);
  expect(warnings({ publicUrl: "https://a.example" })).toEqual([]);
  expect(warnings({ publicUrl: "http://a.example", tlsCert: null, tlsKey: null })).toEqual([]);
});

/** The messages of warnings in the log of the service. */
function warningsOf({ dataDir }: Service): string[] {
  const logs = fileURLToPath(new URL("../test-output/logs", import.meta.url));
  const name = readdirSync(logs).find((file) => dataDir.endsWith(file.replace(/\.log$/, "")));
  const lines = readFileSync(join(logs, name ?? ""), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).flatMap(({ level, msg }) => (level === "warn" ? [msg] : []));
}

test("[O19] [O20] warnings are in the log; that of a proxy on this machine whose headers are not believed is there once", async () => {
  const service = await startService("sqlite", { processTrust: "cloud" });
  onTestFinished(() => service.close());
  expect(warningsOf(service)).toEqual([expect.stringContaining("process_trust is cloud")]);
  await service.admin("GET", "/cloud/games");
  expect(warningsOf(service)).toHaveLength(1);
  for (const header of ["x-forwarded-for", "forwarded", "x-forwarded-for"]) {
    const headers = { [header]: "198.51.100.7" };
    await service.request("GET", "/cloud/games", { token: service.adminToken, headers });
  }
  expect(warningsOf(service).slice(1)).toEqual([expect.stringContaining("trusted_proxies")]);

  const believing = await startService("sqlite", { trustedProxies: ["127.0.0.1"] });
  onTestFinished(() => believing.close());
  await believing.request("GET", "/healthz", { headers: { "x-forwarded-for": "198.51.100.7" } });
  await believing.request("GET", "/cloud/games", { headers: { "x-forwarded-for": "198.51.100.7" } });
  expect(warningsOf(believing)).toEqual([]);
});
