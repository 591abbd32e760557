import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Child, newDataDir, spawnFoyer, startChild } from "../support/child.ts";
import { developmentServer } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";
import { ensureServerBuilt } from "../support/server.ts";
import { killedWhileWriting } from "./killed.suite.ts";

// Each test starts processes, and the machine may be busy.
const patient = { timeout: 240_000 };
const children: Pick<Child, "process">[] = [];

beforeAll(ensureServerBuilt, 120_000);
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
});

async function start(dataDir: string): Promise<Child> {
  const child = await startChild(dataDir);
  children.push(child);
  return child;
}

describe("a service that is killed and started again", patient, () => {
  killedWhileWriting(1);

  test("[K6] [K9] keeps its admin token and its secret", async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    const { adminToken } = first.client;
    const { game_id } = await first.client.admin("POST", "/cloud/games", { display_name: "G", name_id: "kept" });
    const path = `/cloud/games/${game_id}/namespaces`;
    const { namespace_id } = await first.client.admin("POST", path, { display_name: "N", name_id: "prod" });
    const { token } = await first.client.admin("POST", `${path}/${namespace_id}/tokens/development`, developmentServer);
    const seat = await first.client.request("POST", "/matchmaker/lobbies/find", {
      token,
      body: { game_modes: ["duel"] },
    });
    first.process.kill("SIGKILL");
    await first.ended;

    const second = await start(dataDir);
    expect(second.client.adminToken).toBe(adminToken);
    const body = { player_token: seat.json.player.token };
    expect((await second.client.request("POST", "/matchmaker/players/connected", { token, body })).status).toBe(200);
  });
});

describe("a service that is asked to stop", patient, () => {
  const body = JSON.stringify({ display_name: "Late", name_id: "late" });
  const hold = async (child: Child) => {
    const connection = await openRaw(child.client.port);
    connection.write(
      `POST /cloud/games HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${child.client.adminToken}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect((await connection.answer())?.status).toBe(100);
    return connection;
  };

  test("[I27] [O5] [O12] finishes the request that is under way and exits with 0; its outputs hold no token", async () => {
    const dataDir = newDataDir();
    const child = await start(dataDir);
    const connection = await hold(child);
    child.process.kill("SIGTERM");
    while (!child.output().includes('"msg":"stopping"')) await new Promise((resolve) => setTimeout(resolve, 10));
    connection.write(body);
    const answer = await connection.answer();
    expect([answer?.status, answer?.json]).toEqual([200, { game_id: expect.any(String) }]);
    expect(await child.ended).toBe(0);
    connection.destroy();
    expect(child.output()).not.toContain(child.client.adminToken);

    const again = await start(dataDir);
    expect((await again.client.admin("GET", "/cloud/games/late")).game.game_id).toBe(answer?.json.game_id);
    again.process.kill("SIGTERM");
    expect(await again.ended).toBe(0);
  });

  test("[I27] [O5] exits with 0 within ten seconds although a client never finishes its request", async () => {
    const child = await start(newDataDir());
    const connection = await hold(child);
    child.process.kill("SIGTERM");
    expect(await child.ended).toBe(0);
    connection.destroy();
  });

  test("[I27] [O5] exits with 0 although idle connections are open", async () => {
    const child = await start(newDataDir());
    const silent = await openRaw(child.client.port);
    const used = await openRaw(child.client.port);
    used.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect((await used.answer())?.status).toBe(200);
    child.process.kill("SIGTERM");
    expect(await child.ended).toBe(0);
    for (const connection of [silent, used]) connection.destroy();
  });
});

describe("a second service on the same data folder", patient, () => {
  test("[I23] [O6] refuses to start and leaves the first alone", async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    const second = spawnFoyer(dataDir);
    children.push(second);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("in use by another Foyer process");
    expect(second.output()).not.toContain(first.client.adminToken);
    expect((await first.client.request("GET", "/readyz")).status).toBe(200);
    await first.client.admin("POST", "/cloud/games", { display_name: "G", name_id: "still-writes" });
  });
});

test(
  "[K24] [O12] no log line of a busy service holds a token, whatever was wrong with the requests",
  patient,
  async () => {
    const child = await start(newDataDir());
    const { client } = child;
    const { game_id } = await client.admin("POST", "/cloud/games", { display_name: "G", name_id: "g" });
    const cloud = await client.admin("POST", `/cloud/games/${game_id}/tokens/cloud`);
    const tokens = [client.adminToken, cloud.token];
    for (const token of tokens) {
      await client.request("GET", `/nowhere/${token}?token=${token}`, { token });
      await client.request("GET", `/cloud/games/${token}`, { token });
      await client.request("POST", "/cloud/games", { token, rawBody: `{"${token}":` });
      await client.request("POST", "/cloud/games", { token, body: { display_name: token, [token]: token } });
      await client.request("GET", "/cloud/games", {
        headers: { authorization: `Basic ${token}`, cookie: `t=${token}` },
      });
      await client.request("GET", "/cloud/games", { token: `${token}x`, headers: { "x-request-id": token } });
    }
    child.process.kill("SIGTERM");
    expect(await child.ended).toBe(0);
    expect(child.output()).toContain('"msg":"request"');
    for (const token of tokens) expect(child.output()).not.toContain(token);
  },
);
