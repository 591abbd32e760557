import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../../src/ground/sqlite.ts";
import { arenaOf, createArena } from "../support/arena.ts";
import { expectEmpty, expectRefusal } from "../support/expectations.ts";
import { createNamespace, startService, until } from "../support/harness.ts";
import { install } from "./installation.ts";

// The machine may be busy, and the answer to a deletion waits up to 5 s.
const patient = { timeout: 120_000 };

/** Keeps the rows of namespaces from being removed, as very many of them would. */
async function holdRows(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let isHeld = true;
  const giveBack = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  onTestFinished(giveBack);
  await client.query("begin");
  await client.query("lock table deployments in share mode");
  return giveBack;
}

test.for(["namespace", "game"])(
  "[G8] a %s that is still being removed is gone on every node, and has its name",
  patient,
  async (kind) => {
    const installation = await install();
    const [here, there] = [await installation.start("a"), await installation.start("b")];
    const arena = await createArena(here);
    const lobby = await arena.ready();
    const { game, namespaceId, nameId } = arena.namespace;
    const onThere = arenaOf(there, arena.namespace, arena);
    expect((await onThere.find()).status).toBe(200);
    const giveBack = await holdRows(installation.databaseUrl);

    const path = kind === "game" ? game.path : arena.namespace.path;
    expectRefusal(await here.request("DELETE", path, { token: here.adminToken }), "CLOUD_NAMESPACE_NOT_EMPTY");
    const remove = () => here.request("DELETE", `${path}?force=true`, { token: here.adminToken });
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    const [parent, taken, unknown] =
      kind === "game"
        ? (["/cloud/games", game.nameId, "CLOUD_GAME_NOT_FOUND"] as const)
        : ([`${game.path}/namespaces`, nameId, "CLOUD_NAMESPACE_NOT_FOUND"] as const);
    for (const node of [here, there]) {
      const ask = (method: string, asked: string, body?: unknown) =>
        node.request(method, asked, { token: node.adminToken, ...(body !== undefined && { body }) });
      expectRefusal(await ask("GET", path), unknown);
      expectRefusal(await ask("GET", `${parent}/${taken}`), unknown);
      expectRefusal(await ask("DELETE", path), unknown);
      expect((await ask("GET", parent)).text).not.toContain(kind === "game" ? game.gameId : namespaceId);
      const names = { display_name: "Again", name_id: taken };
      const refused = await ask("POST", parent, names);
      expectRefusal(refused, "CLOUD_NAME_TAKEN");
      expect(refused.json.metadata).toEqual({ is_deleting: true });
      expect((await ask("POST", `${parent}/validate`, names)).json.errors[0].path).toEqual(["name_id", "not_unique"]);
      expect((await arenaOf(node, arena.namespace, arena).find()).json.code).toBe("TOKEN_INVALID");
      const beat = await node.request("POST", "/matchmaker/lobbies/heartbeat", { token: lobby.token, body: {} });
      expect(beat.json.code).toBe("TOKEN_INVALID");
    }

    await giveBack();
    const again = () =>
      there.request("POST", parent, { token: there.adminToken, body: { display_name: "Again", name_id: taken } });
    await until(async () => (await again()).status === 200);
  },
);

test("[G9] a service that was killed while it removed a namespace removes the rest", patient, async () => {
  const first = await startService("sqlite");
  const { dataDir } = first;
  const arena = await createArena(first);
  await arena.ready();
  const other = await createNamespace(first, arena.namespace.game);
  await first.close();
  // As it is right after the transaction that marks the namespace.
  const database = new (await loadSqlite())(join(dataDir, "foyer.db"));
  database
    .prepare("update namespaces set delete_ts = 1, version_id = null where namespace_id = ?")
    .run(arena.namespace.namespaceId);
  database.close();

  const second = await startService("sqlite", { dataDir });
  expectRefusal(
    await second.request("GET", arena.namespace.path, { token: second.adminToken }),
    "CLOUD_NAMESPACE_NOT_FOUND",
  );
  const { game, nameId } = arena.namespace;
  const body = { display_name: "Again", name_id: nameId };
  const create = () => second.request("POST", `${game.path}/namespaces`, { token: second.adminToken, body });
  await until(async () => (await create()).status === 200);
  expect((await second.request("GET", other.path, { token: second.adminToken })).status).toBe(200);
  await second.close();
});

test("[G6] a deleted namespace and game of ordinary size are gone with the answer", patient, async () => {
  const service = await startService("sqlite");
  const arena = await createArena(service);
  await arena.ready();
  const { game, nameId, path } = arena.namespace;
  expectEmpty(await service.request("DELETE", `${path}?force=true`, { token: service.adminToken }));
  await createNamespace(service, game, { nameId });
  expectEmpty(await service.request("DELETE", game.path, { token: service.adminToken }));
  await service.admin("POST", "/cloud/games", { display_name: "Again", name_id: game.nameId });
  await service.close();
});
