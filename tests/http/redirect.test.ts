import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigError, defaultConfig, loadSettings } from "../../src/config/config.ts";
import { openRedirect, type Redirect } from "../../src/http/redirect.ts";
import { sendRaw } from "../support/raw.ts";

let redirect: Redirect;
beforeAll(async () => {
  const urls = { publicUrl: "https://play.example.com", gatewayUrl: "https://gw.example.com:8443" };
  redirect = await openRedirect(defaultConfig({ redirectHttpPort: 0, ...urls }), "127.0.0.1");
});
afterAll(() => redirect?.close());

const send = (target: string, host: string, method = "GET") =>
  sendRaw(redirect.port!, `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

test("[TS10] the port for http redirects to the https origin with the host of the request", async () => {
  for (const [target, host, location] of [
    ["/", "play.example.com", "https://play.example.com/"],
    ["/lobby/x?a=%0d%0a", "PLAY.example.com:80", "https://play.example.com/lobby/x?a=%0d%0a"],
    ["//evil.example/x", "play.example.com", "https://play.example.com//evil.example/x"],
    ["/@evil.example", "gw.example.com", "https://gw.example.com:8443/@evil.example"],
  ] as const) {
    for (const method of ["GET", "POST"]) {
      const answer = await send(target, host, method);
      expect([answer?.status, answer?.headers.location]).toEqual([308, location]);
    }
  }
});

test("[TS10] other hosts are 421, and nothing is redirected there", async () => {
  for (const host of ["evil.example", "", "play.example.com.evil.example", "play.example.com@evil.example"]) {
    const answer = await send("/", host);
    expect([answer?.status, answer?.headers.location]).toEqual([421, undefined]);
  }
  expect((await send("http://evil.example/", "play.example.com"))?.status).toBe(400);
});

test("[TS10] it needs an https public_url", () => {
  const load = (...argv: string[]) => loadSettings({ argv: ["--redirect-http-port", "80", ...argv], env: {} });
  expect(() => load()).toThrow(ConfigError);
  expect(() => load("--public-url", "http://play.example.com")).toThrow(/https address/);
  expect(load("--public-url", "https://play.example.com").config.redirectHttpPort).toBe(80);
  expect(defaultConfig().redirectHttpPort).toBe(null);
});
