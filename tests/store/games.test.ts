import { describe, expect, test } from "vitest";
import { addDomain } from "../../src/store/domains.ts";
import { findGame, gameNameExists, insertGame, listGames } from "../../src/store/games.ts";
import { findNamespaceById, insertNamespace, listNamespaces } from "../../src/store/namespaces.ts";
import { findTokenByHash, insertToken, listTokens } from "../../src/store/tokens.ts";
import { deployVersion, findVersion, listDeployments, listVersions } from "../../src/store/versions.ts";
import { storeKinds } from "../support/services/stores.ts";
import {
  atOnce,
  deleteGame,
  emptyStore,
  firstPage,
  game,
  namespace,
  newId,
  now,
  storedGame,
  storedNamespace,
  storedVersion,
  tally,
  token,
  walk,
} from "./fixtures.ts";

describe.each(storeKinds)("games on %s", (kind) => {
  test("[T14] a game is found by its id in any case and by its name", async () => {
    const db = await emptyStore(kind);
    const made = game({ nameId: "duel", displayName: "Duel ⚔️" });

    expect(await insertGame(db, made)).toBe("ok");

    expect(await findGame(db, made.gameId)).toEqual(made);
    expect(await findGame(db, made.gameId.toUpperCase())).toEqual(made);
    expect(await findGame(db, "duel")).toEqual(made);
    expect(await findGame(db, "DUEL")).toBeNull();
    expect(await findGame(db, newId())).toBeNull();
    expect(await gameNameExists(db, "duel")).toBe(true);
    expect(await gameNameExists(db, "duels")).toBe(false);
  });

  test("a name that was missing is found as soon as it is created", async () => {
    const db = await emptyStore(kind);
    expect(await gameNameExists(db, "duel")).toBe(false);

    await insertGame(db, game({ nameId: "duel" }));

    expect(await gameNameExists(db, "duel")).toBe(true);
  });

  test("a taken name is refused and the first game keeps it", async () => {
    const db = await emptyStore(kind);
    const first = await storedGame(db, { nameId: "duel" });

    expect(await insertGame(db, game({ nameId: "duel" }))).toBe("NAME_TAKEN");

    expect(await listGames(db, firstPage)).toEqual([first]);
  });

  test("the same id twice is an error, not a taken name", async () => {
    const db = await emptyStore(kind);
    const first = await storedGame(db);

    await expect(insertGame(db, game({ gameId: first.gameId }))).rejects.toThrow(/unique/i);
  });

  test("[G3] of 64 inserts of one name at once exactly one wins", async () => {
    const db = await emptyStore(kind);

    const answers = await atOnce(64, () => insertGame(db, game({ nameId: "duel" })));

    expect(tally(answers)).toEqual({ ok: 1, NAME_TAKEN: 63 });
    expect(await listGames(db, firstPage)).toHaveLength(1);
  });

  test("[G4] pages go by id, ascending, without a gap or a repeat", async () => {
    const db = await emptyStore(kind);
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push((await storedGame(db)).gameId);

    const walked = await walk(
      (page) => listGames(db, page),
      (row) => row.gameId,
      3,
    );

    expect(walked.map((row) => row.gameId)).toEqual(ids.sort());
  });

  test("[G5] deleting a game deletes all that belongs to it and nothing else", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const version = await storedVersion(db, { gameId });
    const inside = await storedNamespace(db, { gameId, versionId: version.versionId });
    const cloud = token({ gameId });
    const pub = token({ gameId, namespaceId: inside.namespaceId });
    await insertToken(db, cloud);
    await insertToken(db, pub);
    const other = await storedNamespace(db);

    expect(await deleteGame(db, gameId)).toBe(true);

    expect(await findGame(db, gameId)).toBeNull();
    expect(await findNamespaceById(db, inside.namespaceId)).toBeNull();
    expect(await findVersion(db, gameId, version.versionId)).toBeNull();
    expect(await listDeployments(db, inside.namespaceId, firstPage)).toEqual([]);
    expect(await findTokenByHash(db, cloud.hash)).toBeNull();
    expect(await findTokenByHash(db, pub.hash)).toBeNull();
    expect(await findNamespaceById(db, other.namespaceId)).toEqual(other);
    expect(await deleteGame(db, gameId)).toBe(false);
  });

  test("[G5] a game can go while others work in it, without a deadlock and with nothing left", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const versions = await atOnce(8, () => storedVersion(db, { gameId }));

    const works: Promise<string>[] = versions.flatMap(({ versionId }) => [
      deployVersion(db, { namespaceId, versionId, deployment: () => ({ deploymentId: newId(), deployTs: now }) }),
      insertNamespace(db, namespace({ gameId, versionId }), { deploymentId: newId(), deployTs: now }),
      insertToken(db, token({ gameId, namespaceId })),
      addDomain(db, { namespaceId, domain: `${versionId}.example.com`, createTs: now, domainsMax: 32 }),
    ]);
    works.splice(9, 0, deleteGame(db, gameId).then(String));
    const answers = await Promise.all(works);

    expect(answers).toContain("true");
    expect(await listNamespaces(db, gameId, firstPage)).toEqual([]);
    expect(await listVersions(db, gameId, firstPage)).toEqual([]);
    expect(await listTokens(db, { gameId, namespaceId }, firstPage)).toEqual([]);
  });
});
