import { expect, test } from "vitest";
import { startFoyer } from "../../../src/app/main.ts";
import { defaultConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/ground/log.ts";
import { expectRefusal } from "../../support/expectations.ts";
import { createGame, startService } from "../../support/harness.ts";
import { openRaw, type RawConnection } from "../../support/raw.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test("[I27] [O1] [O2] [O5] a service that stops is not ready and turns new requests away, while it finishes the old", async () => {
  const service = await startService("sqlite");
  const game = await createGame(service);
  const authorization = `Host: localhost\r\nAuthorization: Bearer ${service.adminToken}\r\n`;
  const body = JSON.stringify({ display_name: "Late", name_id: "late" });
  const old = await openRaw(service.port);
  old.write(
    `POST ${game.path}/namespaces HTTP/1.1\r\n${authorization}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect((await old.answer())?.status).toBe(100);
  const begun = {
    ready: await beginRequest(service.port, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n"),
    list: await beginRequest(service.port, `GET /cloud/games HTTP/1.1\r\n${authorization}`),
    health: await beginRequest(service.port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"),
  };
  const closing = service.close();
  for (const connection of Object.values(begun)) connection.write("\r\n");

  for (const connection of [begun.ready, begun.list]) {
    const answer = await connection.answer();
    expectRefusal(answer!, "API_UNAVAILABLE");
    expect(answer?.headers).toMatchObject({ connection: "close", "retry-after": "1" });
  }
  expect((await begun.health.answer())?.status).toBe(200);
  old.write(body);
  expect((await old.answer())?.status).toBe(200);
  await closing;
  for (const connection of [old, ...Object.values(begun)]) connection.destroy();
});

test("[O4] metrics have their own port on loopback, and none when they are off", async () => {
  const log = createLog({ level: "silent", format: "json", destination: { write: () => {} } });
  const start = (metricsPort: number | null) =>
    startFoyer(defaultConfig({ port: 0, metricsPort, demo: false, dataDir: temporaryFolder() }), log);
  const foyer = await start(0);
  expect(foyer.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  expect(new URL(foyer.metricsUrl!).port).not.toBe(new URL(foyer.url).port);
  expect((await fetch(foyer.metricsUrl!)).status).toBe(200);
  expect((await fetch(`${foyer.url}/metrics`)).status).toBe(404);
  await foyer.close();

  const quiet = await start(null);
  expect(quiet.metricsUrl).toBeNull();
  await quiet.close();
});

test("[O4] two services without a set metrics port both have one; a port that was set must be free", async () => {
  const log = createLog({ level: "silent", format: "json", destination: { write: () => {} } });
  const start = (metricsPort: number) =>
    startFoyer(defaultConfig({ port: 0, metricsPort, demo: false, dataDir: temporaryFolder() }), log);
  const both = [await start(7101), await start(7101)];
  const urls = both.map((foyer) => foyer.metricsUrl!);
  expect(new Set(urls).size).toBe(2);
  for (const url of urls) expect((await fetch(url)).status).toBe(200);
  const taken = Number(new URL(both[0]!.url).port);
  await expect(start(taken)).rejects.toThrow("EADDRINUSE");
  for (const foyer of both) await foyer.close();
});

/** A connection on which a request has begun to arrive; an empty line completes it. The answer to another proves it. */
async function beginRequest(port: number, head: string): Promise<RawConnection> {
  const connection = await openRaw(port);
  connection.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n${head}`);
  expect((await connection.answer())?.status).toBe(200);
  return connection;
}
