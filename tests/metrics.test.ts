import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics, startMetricsServer } from "../src/ground/metrics.ts";
import { sendRaw } from "./support/raw.ts";

const metrics = createMetrics();
let server: Awaited<ReturnType<typeof startMetricsServer>>;

beforeAll(async () => {
  server = await startMetricsServer(metrics, { host: "127.0.0.1", port: 0 });
});
afterAll(() => server.close());

const scrape = async () => (await fetch(server.url)).text();

test("requests are counted by operation and status, with their durations", async () => {
  metrics.requestStarted();
  metrics.requestStarted();
  metrics.requestStarted();
  metrics.requestDone("lobbies.find", 200, 0.0004);
  metrics.requestDone("lobbies.find", 409, 0.3);
  metrics.requestShed();
  const text = await scrape();
  expect(text).toContain('foyer_http_requests_total{operation="lobbies.find",status="200"} 1');
  expect(text).toContain('foyer_http_requests_total{operation="lobbies.find",status="409"} 1');
  expect(text).toContain('foyer_http_request_duration_seconds_bucket{le="0.0005",operation="lobbies.find"} 1');
  expect(text).toContain('foyer_http_request_duration_seconds_count{operation="lobbies.find"} 2');
  expect(text).toMatch(/^foyer_http_in_flight 1$/m);
  expect(text).toMatch(/^foyer_http_shed_total 1$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(metrics.inFlight()).toBe(1);
});

test("a gauge is read at each scrape; one that cannot be read makes that scrape a 503", async () => {
  let lobbies: number | null = 2;
  metrics.gauge("foyer_test_lobbies", "Lobbies alive.", async () => {
    if (lobbies === null) throw new Error("store away");
    return lobbies;
  });
  expect(await scrape()).toMatch(/^foyer_test_lobbies 2$/m);
  lobbies = null;
  expect((await fetch(server.url)).status).toBe(503);
  lobbies = 3;
  expect(await scrape()).toMatch(/^foyer_test_lobbies 3$/m);
});

test("[O15] what has a label is counted and measured by it", async () => {
  metrics.requestUnavailable("overload");
  metrics.requestUnavailable("overload");
  metrics.requestUnavailable("live_state");
  const count = metrics.counter("foyer_test_total", "Tests.", "cause");
  count("a");
  count("a");
  const note = metrics.durations("foyer_test_seconds", "Time of tests.", "command");
  note("get", 0.002);
  note("get", 0.2);
  const text = await scrape();
  expect(text).toContain('foyer_http_unavailable_total{cause="overload"} 2');
  expect(text).toContain('foyer_http_unavailable_total{cause="live_state"} 1');
  expect(text).toContain('foyer_test_total{cause="a"} 2');
  expect(text).toContain('foyer_test_seconds_bucket{le="0.0025",command="get"} 1');
  expect(text).toContain('foyer_test_seconds_sum{command="get"} 0.202');
});

test("[O4] only GET /metrics is there", async () => {
  expect((await fetch(server.url)).headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect((await fetch(new URL("/", server.url))).status).toBe(404);
  expect((await fetch(server.url, { method: "POST" })).status).toBe(404);
});

test("[O4] [T29] a page that had its name point to this machine reads nothing", async () => {
  const { port } = new URL(server.url);
  const statusFor = async (host: string) =>
    (await sendRaw(Number(port), `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`))?.status;
  for (const host of ["evil.example", `evil.example:${port}`, "localhost.evil.example"]) {
    expect([host, await statusFor(host)]).toEqual([host, 421]);
  }
  for (const host of ["localhost", `127.0.0.1:${port}`, "[::1]"]) expect(await statusFor(host)).toBe(200);
});

test("two registries do not share counts", async () => {
  expect(await createMetrics().registry.metrics()).not.toContain("lobbies.find");
});

test("a port in use is an error of the start", async () => {
  const port = Number(new URL(server.url).port);
  await expect(startMetricsServer(metrics, { host: "127.0.0.1", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
