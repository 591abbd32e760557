import { describe, expect, test } from "vitest";
import { prune } from "../../src/store/retention.ts";
import { findTokenByHash, insertToken } from "../../src/store/tokens.ts";
import { deployVersion, listDeployments } from "../../src/store/versions.ts";
import { storeKinds } from "../services/stores.ts";
import { emptyStore, newId, now, storedGame, storedNamespace, storedVersion, token } from "./fixtures.ts";

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

    expect(await prune(db, { before: now })).toBe(2);

    for (const { hash } of gone) expect(await findTokenByHash(db, hash)).toBeNull();
    for (const { hash } of kept) expect(await findTokenByHash(db, hash)).not.toBeNull();
    expect(await prune(db, { before: now })).toBe(0);
  });

  test("[V15] old history goes, but for the newest hundred of each namespace", async () => {
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

    expect(await prune(db, { before: now + 4 })).toBe(4);
    expect(await listed(busy.namespaceId)).toEqual(busyIds.slice(0, 106));

    expect(await prune(db, { before: now + 1000 })).toBe(6);
    expect(await listed(busy.namespaceId)).toEqual(busyIds.slice(0, 100));
    expect(await listed(calm.namespaceId)).toEqual(calmIds);
  });
});
