import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { defaultConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/ground/log.ts";
import { createMetrics } from "../../src/ground/metrics.ts";
import { createConnections } from "../../src/http/connections.ts";
import { createRawAnswers } from "../../src/http/raw-answers.ts";
import { expectRefusal } from "../support/expectations.ts";
import { until } from "../support/harness.ts";
import { openRaw, type RawConnection } from "../support/raw.ts";

const opened: RawConnection[] = [];
let server: ReturnType<typeof createServer>;

afterEach(() => {
  for (const connection of opened.splice(0)) connection.destroy();
  server.close();
});

/** Loopback peers are not counted, so the address that every connection comes from is said here. */
async function listen(peer: { isDirectLoopback: boolean; isTrustedProxy: boolean }): Promise<number> {
  server = createServer((_request, response) => void response.end());
  const { refuseConnection } = createRawAnswers(null, () => "00000000-0000-7000-8000-000000000000", {
    comesBehind: () => false,
    openRequest: () => null,
    isReceiving: () => false,
  });
  const connections = createConnections({
    config: defaultConfig({ maxConnectionsPerAddress: 2 }),
    log: createLog({ level: "silent", format: "json" }),
    metrics: createMetrics(),
    readAddress: () => ({ client: "192.0.2.1", address: "192.0.2.1", network: null, isForwarded: false, ...peer }),
    refuseConnection,
    checkLoad: () => null,
    isFull: () => false,
  });
  connections.watch(server, null);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function ask(port: number): Promise<RawConnection> {
  const connection = await openRaw(port);
  opened.push(connection);
  connection.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return connection;
}

test("[T42] a connection above the limit of its address is answered 429 and closed; when one ends there is room again", async () => {
  const port = await listen({ isDirectLoopback: false, isTrustedProxy: false });
  const [first] = [await ask(port), await ask(port)];
  for (const connection of opened) expect((await connection.answer())?.status).toBe(200);
  const third = await ask(port);
  const refused = await third.answer();
  expectRefusal(refused!, "API_RATE_LIMIT");
  expect(refused!.headers).toMatchObject({ "retry-after": "1", "access-control-allow-origin": "*" });
  await third.closed;
  first!.destroy();
  await until(async () => (await (await ask(port)).answer())?.status === 200);
});

test.each([
  { isDirectLoopback: true, isTrustedProxy: false },
  { isDirectLoopback: false, isTrustedProxy: true },
])("[T42] connections of loopback peers and trusted proxies are not counted (%o)", async (peer) => {
  const port = await listen(peer);
  for (let i = 0; i < 5; i++) expect((await (await ask(port)).answer())?.status).toBe(200);
});
