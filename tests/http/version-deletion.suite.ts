import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { aTimestamp, expectAnswer, expectEmpty, expectRefusal } from "../support/expectations.ts";
import {
  createCloudToken,
  createGame,
  createNamespace,
  createToken,
  createVersion,
  processConfig,
  type Service,
} from "../support/harness.ts";

export function versionDeletionTests(at: () => Service): void {
  const call = (method: string, path: string, body?: unknown) =>
    at().request(method, path, { token: at().adminToken, ...(body !== undefined && { body }) });

  test("[V16] a deleted version is not listed, read or deployed any more, and a second time it is 404", async () => {
    const game = await createGame(at());
    const namespace = await createNamespace(at(), game);
    const [kept, gone] = [await createVersion(at(), game), await createVersion(at(), game)];
    const path = `${game.path}/versions/${gone}`;
    expectEmpty(await call("DELETE", `${game.path}/versions/${gone.toUpperCase()}`));

    const { versions } = await at().admin("GET", `${game.path}/versions`);
    expect(versions.map((version: { version_id: string }) => version.version_id)).toEqual([kept]);
    expectRefusal(await call("GET", path), "CLOUD_VERSION_NOT_FOUND");
    expectRefusal(await call("DELETE", path), "CLOUD_VERSION_NOT_FOUND");
    expectRefusal(await call("PUT", `${namespace.path}/version`, { version_id: gone }), "CLOUD_VERSION_NOT_FOUND");
    const names = { display_name: "New", name_id: "new-one", version_id: gone };
    expectRefusal(await call("POST", `${game.path}/namespaces`, names), "CLOUD_VERSION_NOT_FOUND");
    for (const id of [randomUUID(), "not-an-id"]) {
      expectRefusal(await call("DELETE", `${game.path}/versions/${id}`), "CLOUD_VERSION_NOT_FOUND");
    }
    const other = await createGame(at());
    expectRefusal(await call("DELETE", `${other.path}/versions/${kept}`), "CLOUD_VERSION_NOT_FOUND");
    expectRefusal(await call("DELETE", `/cloud/games/${randomUUID()}/versions/${kept}`), "CLOUD_GAME_NOT_FOUND");
  });

  test("[V17] [V18] while it is deployed it stays; histories keep its id and name", async () => {
    const game = await createGame(at());
    const [first, second] = [await createVersion(at(), game), await createVersion(at(), game)];
    const namespace = await createNamespace(at(), game, { versionId: first });
    const elsewhere = await createNamespace(at(), game, { versionId: first });
    const path = `${game.path}/versions/${first}`;
    expectRefusal(await call("DELETE", path), "CLOUD_VERSION_IN_USE");
    await at().admin("PUT", `${namespace.path}/version`, { version_id: second });
    expectRefusal(await call("DELETE", path), "CLOUD_VERSION_IN_USE");
    await at().admin("PUT", `${elsewhere.path}/version`, { version_id: second });
    expectEmpty(await call("DELETE", path));

    const entry = { display_name: "A Version", deploy_ts: aTimestamp, rolled_back: false };
    expectAnswer(await call("GET", `${namespace.path}/version-history`), {
      versions: [
        { ...entry, version_id: second, is_deleted: false },
        { ...entry, version_id: first, is_deleted: true },
      ],
    });
    expectRefusal(await call("PUT", `${namespace.path}/version`, { version_id: first }), "CLOUD_VERSION_NOT_FOUND");
  });

  test("[V18] the history of lobbies keeps the id and name of a deleted version, also of one that was never deployed", async () => {
    const game = await createGame(at());
    const [deployed, never] = [await createVersion(at(), game), await createVersion(at(), game)];
    const namespace = await createNamespace(at(), game, { versionId: deployed });
    const server = (await createToken(at(), namespace, "server")).token;
    const ports = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
    const stopped = async (version_id: string, meanwhile: () => Promise<void>) => {
      const body = { game_mode: "duel", region: "local", ports, version_id };
      const { json } = await at().request("POST", "/matchmaker/lobbies/register", { token: server, body });
      await meanwhile();
      expectEmpty(await at().request("POST", "/matchmaker/lobbies/stop", { token: json.token }));
      return json.lobby_id;
    };
    const history = async () => (await at().admin("GET", `${namespace.path}/lobby-history`)).lobbies;
    // The version goes while its lobby lives.
    const first = await stopped(never, async () => expectEmpty(await call("DELETE", `${game.path}/versions/${never}`)));
    const second = await stopped(deployed, async () => undefined);
    await vi.waitFor(async () => expect(await history()).toHaveLength(2), { timeout: 10_000 });
    const name = { version_display_name: "A Version" };
    expect(await history()).toMatchObject([
      { lobby_id: second, version_id: deployed, ...name, is_version_deleted: false },
      { lobby_id: first, version_id: never, ...name, is_version_deleted: true },
    ]);
  });

  test("[V19] lobbies that were registered with it continue; no other can be registered with it", async () => {
    const game = await createGame(at());
    const [first, second] = [await createVersion(at(), game), await createVersion(at(), game)];
    const namespace = await createNamespace(at(), game, { versionId: first });
    const server = (await createToken(at(), namespace, "server")).token;
    const pub = (await createToken(at(), namespace, "pub")).token;
    const ports = { default: { hostname: "duel.example.com", port: 7777, is_tls: false } };
    const register = (body: object) =>
      at().request("POST", "/matchmaker/lobbies/register", {
        token: server,
        body: { game_mode: "duel", region: "local", ports, ...body },
      });
    const lobby = (await register({ version_id: first })).json;
    await at().admin("PUT", `${namespace.path}/version`, { version_id: second });
    expectEmpty(await call("DELETE", `${game.path}/versions/${first}`));

    const asLobby = { token: lobby.token };
    expectEmpty(await at().request("POST", "/matchmaker/lobbies/ready", asLobby));
    const beat = await at().request("POST", "/matchmaker/lobbies/heartbeat", { ...asLobby, body: {} });
    expect(beat.json).toMatchObject({ is_outdated: true });
    const joined = await at().request("POST", "/matchmaker/lobbies/join", {
      token: pub,
      body: { lobby_id: lobby.lobby_id },
    });
    expect([joined.status, joined.json.lobby.lobby_id]).toEqual([200, lobby.lobby_id]);
    expectRefusal(await register({ version_id: first }), "CLOUD_VERSION_NOT_FOUND");
  });

  test("[V20] of deploys and deletions at once each version ends deployed and there, or gone from both", async () => {
    const game = await createGame(at());
    const rest = await createVersion(at(), game);
    const namespace = await createNamespace(at(), game, { versionId: rest });
    for (let round = 0; round < 8; round++) {
      const versionId = await createVersion(at(), game);
      const put = (version_id: string) => call("PUT", `${namespace.path}/version`, { version_id });
      const path = `${game.path}/versions/${versionId}`;
      const answers = await Promise.all([put(versionId), call("DELETE", path), put(versionId), call("DELETE", path)]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const deployed = (await at().admin("GET", namespace.path)).namespace.version_id;
      const isThere = (await call("GET", path)).status === 200;
      expect([deployed === versionId, isThere]).toEqual(isThere ? [true, true] : [false, false]);
      await put(rest);
    }
  });

  test("[V21] a cloud token may delete versions of its game, also those with the process runtime", async () => {
    const game = await createGame(at());
    const { token } = await createCloudToken(at(), game);
    const versionId = await createVersion(at(), game, processConfig);
    expectEmpty(await at().request("DELETE", `${game.path}/versions/${versionId}`, { token }));
  });
}
