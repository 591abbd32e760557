import { type KyselyPlugin, sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { Db } from "../../src/store/db.ts";
import { deleteVersion } from "../../src/store/delete-version.ts";
import { insertPastLobby, listPastLobbies, type PastLobby } from "../../src/store/lobby-history.ts";
import { prune } from "../../src/store/retention.ts";
import { findTokenByHash, insertToken } from "../../src/store/tokens.ts";
import { deployVersion, listDeployments } from "../../src/store/versions.ts";
import { storeKinds } from "../support/services/stores.ts";
import { emptyStore, newId, now, storedGame, storedNamespace, storedVersion, token } from "./fixtures.ts";

/** What SQLite does for each statement that the work sends. */
async function plansOf(db: Db, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const executor = db.query.getExecutor();
  const texts = new Set<string>();
  const noting: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      texts.add(executor.compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work({ ...db, query: db.query.withPlugin(noting) });
  const plans: string[] = [];
  for (const text of texts) {
    // The last word tells the driver that there are rows to read.
    const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${text} -- returning`).execute(db.query);
    plans.push(...rows.map(({ detail }) => detail));
  }
  return plans;
}

test("[GP3] on SQLite pruning finds by an index what it deletes", async () => {
  const db = await emptyStore("sqlite");
  const plans = await plansOf(db, (watched) => prune(watched, { before: now, now }));
  const indexes = plans.flatMap((plan) => /^SEARCH \w+ .*USING (?:COVERING )?INDEX (\w+_by_\w+)/.exec(plan)?.[1] ?? []);
  expect([...new Set(indexes)].sort()).toEqual([
    "audit_by_time",
    "blocks_by_end",
    "deployments_by_namespace",
    "deployments_by_time",
    "deployments_by_version",
    "lobby_history_by_time",
    "lobby_history_by_version",
    "namespaces_by_version",
    "tokens_by_expiry",
    "tokens_by_revocation",
    "versions_by_deletion",
  ]);
  // Counting the entries of the audit log reads an index alone.
  expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual(["SCAN audit USING COVERING INDEX audit_by_time"]);
});

describe.each(storeKinds)("retention on %s", (kind) => {
  test("[K23] tokens go when they were revoked or expired before the time, and no others", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const gone = [token({ gameId, revokeTs: now - 1 }), token({ gameId, expiresTs: now - 1 })];
    const kept = [
      token({ gameId, createTs: 1, lastUsedTs: 2 }),
      token({ gameId, revokeTs: now }),
      token({ gameId, expiresTs: now }),
      token({ gameId, expiresTs: now + 1 }),
    ];
    for (const made of [...gone, ...kept]) await insertToken(db, made);
    for (const { hash } of gone) expect(await findTokenByHash(db, hash)).not.toBeNull();

    expect(await prune(db, { before: now, now })).toBe(2);

    for (const { hash } of gone) expect(await findTokenByHash(db, hash)).toBeNull();
    for (const { hash } of kept) expect(await findTokenByHash(db, hash)).not.toBeNull();
    expect(await prune(db, { before: now, now })).toBe(0);
  });

  test("[V15] old history is deleted, except the newest hundred of each namespace", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const versions = [await storedVersion(db, { gameId }), await storedVersion(db, { gameId })];
    const busy = await storedNamespace(db, { gameId });
    const calm = await storedNamespace(db, { gameId });
    const deploy = async (namespaceId: string, count: number) => {
      const ids: string[] = [];
      for (let index = 0; index < count; index++) {
        const { versionId } = versions[index % 2]!;
        ids.unshift(newId());
        await deployVersion(db, {
          namespaceId,
          versionId,
          deployment: () => ({ deploymentId: ids[0]!, deployTs: now + index }),
        });
      }
      return ids;
    };
    const listed = async (namespaceId: string) =>
      (await listDeployments(db, namespaceId, { after: null, limit: 500 })).map((row) => row.deploymentId);
    const busyIds = await deploy(busy.namespaceId, 110);
    const calmIds = await deploy(calm.namespaceId, 5);

    expect(await prune(db, { before: now + 4, now })).toBe(4);
    expect(await listed(busy.namespaceId)).toEqual(busyIds.slice(0, 106));

    expect(await prune(db, { before: now + 1000, now })).toBe(6);
    expect(await listed(busy.namespaceId)).toEqual(busyIds.slice(0, 100));
    expect(await listed(calm.namespaceId)).toEqual(calmIds);
  });

  test("[V18] a deleted version goes when no history names it any more", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const { namespaceId } = await storedNamespace(db, { gameId });
    const [played, unused] = [await storedVersion(db, { gameId }), await storedVersion(db, { gameId })];
    await insertPastLobby(db, pastLobby(namespaceId, played.versionId, now + 10));
    const remove = ({ versionId }: { versionId: string }) =>
      deleteVersion(db, { gameId, versionId, deleteTs: now, mark: null });
    expect([await remove(played), await remove(unused)]).toEqual(["deleted", "deleted"]);
    const listed = () => listPastLobbies(db, namespaceId, { after: null, limit: 10 });

    expect(await prune(db, { before: now, now })).toBe(0);
    expect(await prune(db, { before: now + 1, now })).toBe(1);
    expect(await listed()).toMatchObject([{ versionName: played.displayName, isVersionDeleted: true }]);
    // The lobby, and with it the version.
    expect(await prune(db, { before: now + 11, now })).toBe(2);
    expect(await listed()).toEqual([]);
  });

  test("[V18] a lobby whose version is forgotten keeps the id", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const versionId = newId();
    await insertPastLobby(db, pastLobby(namespaceId, versionId, now));
    const [lobby] = await listPastLobbies(db, namespaceId, { after: null, limit: 10 });
    expect(lobby).toMatchObject({ versionId, versionName: null, isVersionDeleted: true });
  });
});

function pastLobby(namespaceId: string, versionId: string, stopTs: number): PastLobby {
  const place = { lobbyId: newId(), namespaceId, gameMode: "duel", region: "local", versionId };
  const times = { createTs: now, readyTs: null, stopTs, stopReason: "empty", peakPlayerCount: 1 };
  return { ...place, ...times, exitCode: null, exitSignal: null, exitMessage: null };
}
