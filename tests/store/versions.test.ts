import { describe, expect, test } from "vitest";
import { deleteVersion } from "../../src/store/delete-version.ts";
import { findNamespaceById } from "../../src/store/namespaces.ts";
import { deployVersion, findVersion, insertVersion, listDeployments, listVersions } from "../../src/store/versions.ts";
import { storeKinds } from "../support/services/stores.ts";
import {
  atOnce,
  emptyStore,
  firstPage,
  newId,
  now,
  storedGame,
  storedNamespace,
  storedVersion,
  tally,
  version,
  walk,
} from "./fixtures.ts";

describe.each(storeKinds)("versions on %s", (kind) => {
  test("[V1] a version is found within its game only, its config to the letter", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const made = version({ gameId, config: '{ "regions": {"名":"\\u0000 \'quoted\'"} , "n": 1e3 }' });

    expect(await insertVersion(db, made)).toBe("ok");

    expect(await findVersion(db, gameId, made.versionId)).toEqual(made);
    expect(await findVersion(db, (await storedGame(db)).gameId, made.versionId)).toBeNull();
    expect(await findVersion(db, gameId, newId())).toBeNull();
    expect(await insertVersion(db, version({ gameId: newId() }))).toBe("GAME_NOT_FOUND");
  });

  test("pages go newest first and leave the config out", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const made = [];
    for (let count = 0; count < 7; count++)
      made.unshift(await storedVersion(db, { gameId, displayName: `1.${count}` }));

    const walked = await walk(
      (page) => listVersions(db, gameId, page),
      (row) => row.versionId,
      3,
    );

    expect(walked).toEqual(made.map(({ config: _, defaults: __, ...summary }) => summary));
  });

  test("[M6] [V13] deploying raises the revision and enters the history; again changes nothing; going back is another entry", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const first = await storedVersion(db, { gameId, displayName: "1.0" });
    const second = await storedVersion(db, { gameId, displayName: "2.0" });
    const deploy = (versionId: string, deployTs: number) =>
      deployVersion(db, { namespaceId, versionId, deployment: () => ({ deploymentId: newId(), deployTs }) });

    expect(await deploy(first.versionId, now)).toBe("deployed");
    expect(await deploy(first.versionId, now + 1)).toBe("unchanged");
    expect(await deploy(second.versionId, now + 2)).toBe("deployed");
    expect(await deploy(first.versionId, now + 3)).toBe("deployed");

    const found = await findNamespaceById(db, namespaceId);
    expect([found?.versionId, found?.revision]).toEqual([first.versionId, 4]);
    const history = await walk(
      (page) => listDeployments(db, namespaceId, page),
      (row) => row.deploymentId,
      2,
    );
    expect(history.map(({ versionId, displayName, deployTs }) => [versionId, displayName, deployTs])).toEqual([
      [first.versionId, "1.0", now + 3],
      [second.versionId, "2.0", now + 2],
      [first.versionId, "1.0", now],
    ]);
  });

  test("[V22] what was rolled back from says so; another try of it rolls nothing back", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const elsewhere = await storedNamespace(db, { gameId });
    const versions = new Map<string, string>();
    const [first, second, third] = await Promise.all(
      ["1.0", "2.0", "3.0"].map(async (displayName) => {
        const { versionId } = await storedVersion(db, { gameId, displayName });
        versions.set(versionId, displayName);
        return versionId;
      }),
    );
    const deploy = (versionId: string, to = namespaceId) =>
      deployVersion(db, { namespaceId: to, versionId, deployment: () => ({ deploymentId: newId(), deployTs: now }) });
    // Oldest first; in brackets what was rolled back from.
    const history = async (of = namespaceId) =>
      (await listDeployments(db, of, { after: null, limit: 100 }))
        .map(({ versionId, isRolledBack }) => (isRolledBack ? `(${versions.get(versionId)})` : versions.get(versionId)))
        .reverse()
        .join(" ");

    for (const version of [first!, second!, third!]) {
      await deploy(version);
      await deploy(version, elsewhere.namespaceId);
    }
    expect(await history()).toBe("1.0 2.0 3.0");
    await deploy(second!);
    expect(await history()).toBe("1.0 2.0 (3.0) 2.0");
    await deploy(third!);
    expect(await history()).toBe("1.0 2.0 (3.0) 2.0 3.0");
    await deploy(second!);
    expect(await history()).toBe("1.0 2.0 (3.0) 2.0 (3.0) 2.0");
    await deploy(first!);
    expect(await history()).toBe("1.0 (2.0) (3.0) (2.0) (3.0) (2.0) 1.0");
    expect(await history(elsewhere.namespaceId)).toBe("1.0 2.0 3.0");
  });

  test("[V16] of a deleted version the document, with its secrets, is not in the database", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const kept = version({ gameId, config: '{"env":{"KEY":"of the kept one"}}' });
    const gone = version({ gameId, config: '{"env":{"KEY":"secret-of-the-deleted"}}' });
    for (const made of [kept, gone]) expect(await insertVersion(db, made)).toBe("ok");
    expect(await deleteVersion(db, { gameId, versionId: gone.versionId, deleteTs: now, mark: null })).toBe("deleted");
    const rows = await db.query.selectFrom("versions").selectAll().where("game_id", "=", gameId).execute();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).toContain("of the kept one");
    expect(JSON.stringify(rows)).not.toContain("secret-of-the-deleted");
  });

  test("[V14] an unknown namespace, an unknown version and another game's version are refused without a trace", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const { versionId } = await storedVersion(db, { gameId });
    const foreign = await storedVersion(db, { gameId: (await storedGame(db)).gameId });
    const deploy = (namespace: string, version: string) =>
      deployVersion(db, {
        namespaceId: namespace,
        versionId: version,
        deployment: () => ({ deploymentId: newId(), deployTs: now }),
      });

    expect(await deploy(newId(), versionId)).toBe("NAMESPACE_NOT_FOUND");
    expect(await deploy(namespaceId, newId())).toBe("VERSION_NOT_FOUND");
    expect(await deploy(namespaceId, foreign.versionId)).toBe("VERSION_NOT_FOUND");

    const found = await findNamespaceById(db, namespaceId);
    expect([found?.versionId, found?.revision]).toEqual([null, 1]);
    expect(await listDeployments(db, namespaceId, firstPage)).toEqual([]);
  });

  test("[V13] of 32 deployments of one version at once exactly one counts", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const { versionId } = await storedVersion(db, { gameId });

    const answers = await atOnce(32, () =>
      deployVersion(db, { namespaceId, versionId, deployment: () => ({ deploymentId: newId(), deployTs: now }) }),
    );

    expect(tally(answers)).toEqual({ deployed: 1, unchanged: 31 });
    expect(await listDeployments(db, namespaceId, firstPage)).toHaveLength(1);
  });
});
