import { randomInt } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Child, newDataDir, spawnFoyer, startChild } from "../support/child.ts";
import { expectRefusal } from "../support/expectations.ts";
import { developmentServer, externalConfig, until } from "../support/harness.ts";
import { openRaw } from "../support/raw.ts";

// Each test starts processes, and the machine may be busy.
const patient = { timeout: 240_000 };
const children: Pick<Child, "process">[] = [];

beforeAll(async () => {
  // Cast: the script is plain JavaScript, so that it runs before anything is installed.
  const script: string = "../../scripts/ensure-built.mjs";
  const { ensureBuilt } = (await import(script)) as { ensureBuilt(): boolean };
  if (!ensureBuilt()) throw new Error("The service does not compile.");
}, 120_000);
afterEach(() => {
  for (const child of children.splice(0)) child.process.kill("SIGKILL");
});

async function start(dataDir: string): Promise<Child> {
  const child = await startChild(dataDir);
  children.push(child);
  return child;
}

/** One game's life, each write noted once it is acknowledged: what must be there after any end of the process. */
interface Acknowledged {
  game?: { gameId: string; nameId: string };
  cloud?: { token: string; tokenId: string };
  versionId?: string;
  namespaceId?: string;
  deployed?: boolean;
  config?: { lobby_count_max: number; max_players: number };
  domains: string[];
  removedDomain?: string;
  publicAuth?: boolean;
  dev?: { token: string; tokenId: string };
  revoked?: { token: string };
  deletedNamespaceId?: string;
}

/** Makes things until the connection ends; what it was doing just then may be there or not. */
async function writeUntilKilled(client: Child["client"], worker: number, notes: Acknowledged[]): Promise<void> {
  for (let turn = 0; ; turn++) {
    const note: Acknowledged = { domains: [] };
    notes.push(note);
    const nameId = `w${worker}-${turn}-${notes.length}-${randomInt(1e9)}`;
    const send = (method: string, path: string, body?: unknown) => client.admin(method, path, body);
    try {
      const { game_id } = await send("POST", "/cloud/games", { display_name: "G", name_id: nameId });
      note.game = { gameId: game_id, nameId };
      const path = `/cloud/games/${game_id}`;
      const made = await send("POST", `${path}/tokens/cloud`);
      note.cloud = { token: made.token, tokenId: made.token_id };
      const { version_id } = await send("POST", `${path}/versions`, { display_name: "V", config: externalConfig });
      note.versionId = version_id;
      const { namespace_id } = await send("POST", `${path}/namespaces`, { display_name: "N", name_id: "prod" });
      note.namespaceId = namespace_id;
      const at = `${path}/namespaces/${namespace_id}`;
      await send("PUT", `${at}/version`, { version_id });
      note.deployed = true;
      await send("POST", `${at}/mm-config`, { lobby_count_max: turn, max_players: turn + 1 });
      note.config = { lobby_count_max: turn, max_players: turn + 1 };
      for (const domain of [`a.${nameId}.com`, `b.${nameId}.com`]) {
        await send("POST", `${at}/domains`, { domain });
        note.domains.push(domain);
      }
      note.domains.shift();
      await send("DELETE", `${at}/domains/a.${nameId}.com`);
      note.removedDomain = `a.${nameId}.com`;
      await send("PUT", `${at}/domain-public-auth`, { enabled: true });
      note.publicAuth = true;
      const dev = await send("POST", `${at}/tokens/development`, developmentServer);
      note.dev = { token: dev.token, tokenId: dev.token_id };
      const pub = await send("POST", `${at}/tokens/public`);
      await send("DELETE", `${at}/tokens/${pub.token_id}`);
      note.revoked = { token: pub.token };
      const doomed = await send("POST", `${path}/namespaces`, { display_name: "D", name_id: "doomed" });
      await send("DELETE", `${path}/namespaces/${doomed.namespace_id}`);
      note.deletedNamespaceId = doomed.namespace_id;
    } catch (error) {
      // The process was killed under the request; any other failure is one.
      if (
        error instanceof Error &&
        /ECONNRE|socket hang up|EPIPE/.test(`${error.message} ${"code" in error ? error.code : ""}`)
      )
        return;
      throw error;
    }
  }
}

async function expectKept(client: Child["client"], note: Acknowledged): Promise<void> {
  if (!note.game) return;
  const { gameId, nameId } = note.game;
  const path = `/cloud/games/${gameId}`;
  expect((await client.admin("GET", `/cloud/games/${nameId}`)).game.game_id).toBe(gameId);
  if (note.cloud) expect((await client.request("GET", path, { token: note.cloud.token })).status).toBe(200);
  if (note.versionId) {
    expect((await client.admin("GET", `${path}/versions/${note.versionId}`)).version.config).toEqual(externalConfig);
  }
  if (!note.namespaceId) return;
  const { namespace } = await client.admin("GET", `${path}/namespaces/prod`);
  expect(namespace.namespace_id).toBe(note.namespaceId);
  if (note.deployed) {
    expect(namespace.version_id).toBe(note.versionId);
    const history = await client.admin("GET", `${path}/namespaces/prod/version-history`);
    expect(history.versions).toHaveLength(1);
  }
  if (note.config) expect(namespace.matchmaker).toMatchObject(note.config);
  // Both numbers were set or neither, also without an answer.
  const { lobby_count_max: count, max_players: players } = namespace.matchmaker;
  expect(players === count + 1 || (count === 1000 && players === 100)).toBe(true);
  const domains = namespace.domains.map(({ domain }: { domain: string }) => domain);
  for (const domain of note.domains) expect(domains).toContain(domain);
  if (note.removedDomain) expect(domains).not.toContain(note.removedDomain);
  if (note.publicAuth) expect(namespace.domain_public_auth.enabled).toBe(true);
  if (note.dev)
    expect((await client.request("GET", "/matchmaker/regions", { token: note.dev.token })).status).toBe(200);
  if (note.revoked) {
    expectRefusal(await client.request("GET", "/matchmaker/regions", { token: note.revoked.token }), "TOKEN_REVOKED");
  }
  if (note.deletedNamespaceId) {
    const gone = await client.request("GET", `${path}/namespaces/${note.deletedNamespaceId}`, {
      token: client.adminToken,
    });
    expectRefusal(gone, "CLOUD_NAMESPACE_NOT_FOUND");
  }
}

describe("a service that is killed and started again", patient, () => {
  test("[O13] has everything that it acknowledged, five times in a row, each killed at a random moment under load", async () => {
    const dataDir = newDataDir();
    const notes: Acknowledged[] = [];
    for (let round = 0; round < 5; round++) {
      const child = await start(dataDir);
      const firstNew = notes.length;
      const writers = Array.from({ length: 8 }, (_, worker) => writeUntilKilled(child.client, worker, notes));
      // On a busy machine the first of them may be slow to get anywhere; the other rounds may be killed before they do.
      if (round === 0) await until(() => notes.some(({ config }) => config));
      await new Promise((resolve) => setTimeout(resolve, randomInt(50, 400)));
      child.process.kill("SIGKILL");
      await Promise.all(writers);
      await child.ended;

      const again = await start(dataDir);
      for (const note of notes.slice(firstNew)) await expectKept(again.client, note);
      again.process.kill("SIGKILL");
      await again.ended;
    }
    const last = await start(dataDir);
    for (const note of notes) await expectKept(last.client, note);
    expect(notes.filter(({ config }) => config).length).toBeGreaterThan(0);
  });

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
