import { randomInt } from "node:crypto";
import { afterEach, beforeAll, expect, test } from "vitest";
import { type Child, newDataDir, startChild } from "../support/child.ts";
import { expectRefusal } from "../support/expectations.ts";
import { developmentServer, externalConfig, until } from "../support/harness.ts";
import { ensureServerBuilt } from "../support/server.ts";

// Each test starts processes, and the machine may be busy.
const patient = { timeout: 240_000 };
const children: Child[] = [];

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

export function killedWhileWriting(kills: number): void {
  beforeAll(ensureServerBuilt, 120_000);
  afterEach(() => {
    for (const child of children.splice(0)) child.process.kill("SIGKILL");
  });

  test(
    "[O13] has everything that it acknowledged, however often it is killed at a random moment under load",
    patient,
    async () => {
      const dataDir = newDataDir();
      const notes: Acknowledged[] = [];
      for (let round = 0; round < kills; round++) {
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
    },
  );
}
