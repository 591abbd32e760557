import { describe, expect, test } from "vitest";
import { addDomain, findNamespaceByDomain, listDomains } from "../../src/store/domains.ts";
import {
  findNamespace,
  findNamespaceById,
  insertNamespace,
  listNamespaces,
  namespaceNameExists,
  setDomainPublicAuth,
  setMatchmakerConfig,
} from "../../src/store/namespaces.ts";
import { findTokenByHash, insertToken } from "../../src/store/tokens.ts";
import { listDeployments } from "../../src/store/versions.ts";
import { storeKinds } from "../support/services/stores.ts";
import {
  atOnce,
  deleteNamespace,
  emptyStore,
  firstPage,
  namespace,
  newId,
  now,
  storedGame,
  storedNamespace,
  storedVersion,
  tally,
  token,
  uint32Max,
  walk,
} from "./fixtures.ts";

describe.each(storeKinds)("namespaces on %s", (kind) => {
  test("every field is read as it was written, also the largest numbers", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const { versionId } = await storedVersion(db, { gameId });
    const made = namespace({
      gameId,
      nameId: "prod",
      displayName: "Prod 本番",
      versionId,
      lobbyCountMax: uint32Max,
      maxPlayers: uint32Max,
      maxPlayersPerClient: uint32Max,
      domainPublicAuth: { enabled: true, allowLocalhost: true },
      revision: 7,
    });
    const deployment = { deploymentId: newId(), deployTs: now };

    expect(await insertNamespace(db, made, deployment)).toBe("ok");

    expect(await findNamespaceById(db, made.namespaceId)).toEqual(made);
    expect(await findNamespace(db, gameId, made.namespaceId.toUpperCase())).toEqual(made);
    expect(await findNamespace(db, gameId, "prod")).toEqual(made);
    expect(await listNamespaces(db, gameId, firstPage)).toEqual([made]);
    expect(await listDeployments(db, made.namespaceId, firstPage)).toEqual([
      { ...deployment, versionId, displayName: "1.0", isDeleted: false, isRolledBack: false },
    ]);
  });

  test("another game's namespace is not found, by id or by name", async () => {
    const db = await emptyStore(kind);
    const made = await storedNamespace(db, { nameId: "prod" });
    const other = await storedGame(db);

    expect(await findNamespace(db, other.gameId, made.namespaceId)).toBeNull();
    expect(await findNamespace(db, other.gameId, "prod")).toBeNull();
    expect(await findNamespaceById(db, newId())).toBeNull();
    expect(await namespaceNameExists(db, other.gameId, "prod")).toBe(false);
    expect(await namespaceNameExists(db, made.gameId, "prod")).toBe(true);
  });

  test("[G1] a name is unique within its game only", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedNamespace(db, { nameId: "prod" });
    const other = await storedGame(db);

    expect(await insertNamespace(db, namespace({ gameId, nameId: "prod" }), null)).toBe("NAME_TAKEN");
    expect(await insertNamespace(db, namespace({ gameId: other.gameId, nameId: "prod" }), null)).toBe("ok");
  });

  test("[G3] of 64 inserts of one name at once exactly one wins", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);

    const answers = await atOnce(64, () => insertNamespace(db, namespace({ gameId, nameId: "prod" }), null));

    expect(tally(answers)).toEqual({ ok: 1, NAME_TAKEN: 63 });
    expect(await listNamespaces(db, gameId, firstPage)).toHaveLength(1);
  });

  test("an unknown game and an unknown or foreign version are distinguished, and nothing is left behind", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const foreign = await storedVersion(db, { gameId: (await storedGame(db)).gameId });
    const deployment = () => ({ deploymentId: newId(), deployTs: now });
    const insert = (fields: Parameters<typeof namespace>[0]) =>
      insertNamespace(db, namespace(fields), fields.versionId ? deployment() : null);

    expect(await insert({ gameId: newId() })).toBe("GAME_NOT_FOUND");
    expect(await insert({ gameId: newId(), versionId: foreign.versionId })).toBe("GAME_NOT_FOUND");
    expect(await insert({ gameId, versionId: newId() })).toBe("VERSION_NOT_FOUND");
    expect(await insert({ gameId, versionId: foreign.versionId })).toBe("VERSION_NOT_FOUND");
    expect(await listNamespaces(db, gameId, firstPage)).toEqual([]);
  });

  test("a version without its deployment is a mistake of the caller", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const { versionId } = await storedVersion(db, { gameId });

    await expect(insertNamespace(db, namespace({ gameId, versionId }), null)).rejects.toThrow(", or neither");
  });

  test("[G4] pages go by id, ascending, and stay within the game", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push((await storedNamespace(db, { gameId })).namespaceId);
    await storedNamespace(db);

    const walked = await walk(
      (page) => listNamespaces(db, gameId, page),
      (row) => row.namespaceId,
      3,
    );

    expect(walked.map((row) => row.namespaceId)).toEqual(ids.sort());
  });

  test("[G5] [G6] deleting a namespace deletes its domains, tokens and history, and frees its name", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const { versionId } = await storedVersion(db, { gameId });
    const { namespaceId } = await storedNamespace(db, { gameId, nameId: "prod", versionId });
    const pub = token({ gameId, namespaceId });
    await insertToken(db, pub);
    await addDomain(db, { namespaceId, domain: "play.example.com", createTs: now, domainsMax: 32 });
    expect(await findNamespaceByDomain(db, "play.example.com")).not.toBeNull();

    expect(await deleteNamespace(db, namespaceId)).toBe(true);

    expect(await findNamespace(db, gameId, "prod")).toBeNull();
    expect(await findNamespaceByDomain(db, "play.example.com")).toBeNull();
    expect(await listDomains(db, namespaceId)).toEqual([]);
    expect(await findTokenByHash(db, pub.hash)).toBeNull();
    expect(await listDeployments(db, namespaceId, firstPage)).toEqual([]);
    expect(await deleteNamespace(db, namespaceId)).toBe(false);
    expect(await insertNamespace(db, namespace({ gameId, nameId: "prod" }), null)).toBe("ok");
  });

  test("[M3] [M6] the matchmaker config: all three numbers, an absent third stays, null lifts the limit", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const set = (config: Parameters<typeof setMatchmakerConfig>[2]) => setMatchmakerConfig(db, namespaceId, config);
    const stored = async () => {
      const found = await findNamespaceById(db, namespaceId);
      return [found?.lobbyCountMax, found?.maxPlayers, found?.maxPlayersPerClient, found?.revision];
    };

    expect(await set({ lobbyCountMax: uint32Max, maxPlayers: 0, maxPlayersPerClient: 8 })).toBe(2);
    expect(await stored()).toEqual([uint32Max, 0, 8, 2]);
    expect(await set({ lobbyCountMax: 0, maxPlayers: uint32Max })).toBe(3);
    expect(await stored()).toEqual([0, uint32Max, 8, 3]);
    expect(await set({ lobbyCountMax: 5, maxPlayers: 6, maxPlayersPerClient: null })).toBe(4);
    expect(await stored()).toEqual([5, 6, null, 4]);
    expect(await setMatchmakerConfig(db, newId(), { lobbyCountMax: 1, maxPlayers: 1 })).toBeNull();
  });

  test("[M2] [M6] pairs of numbers that are set at once never mix, and every revision is given once", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db, { lobbyCountMax: 0, maxPlayers: 0 });
    const reads: unknown[] = [];

    const revisions = await atOnce(64, async (index) => {
      const config = { lobbyCountMax: index, maxPlayers: index, maxPlayersPerClient: index };
      const revision = await setMatchmakerConfig(db, namespaceId, config);
      const found = await findNamespaceById(db, namespaceId);
      if (found?.lobbyCountMax !== found?.maxPlayers || found?.maxPlayers !== found?.maxPlayersPerClient) {
        reads.push(found);
      }
      return revision ?? 0;
    });

    expect(reads).toEqual([]);
    expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, index) => index + 2));
  });

  test("[B10] [M6] public authentication by domain: an absent allow_localhost stays", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const stored = async () => (await findNamespaceById(db, namespaceId))?.domainPublicAuth;

    expect(await setDomainPublicAuth(db, namespaceId, { enabled: true, allowLocalhost: true })).toBe(2);
    expect(await stored()).toEqual({ enabled: true, allowLocalhost: true });
    expect(await setDomainPublicAuth(db, namespaceId, { enabled: false })).toBe(3);
    expect(await stored()).toEqual({ enabled: false, allowLocalhost: true });
    expect(await setDomainPublicAuth(db, namespaceId, { enabled: true, allowLocalhost: false })).toBe(4);
    expect(await stored()).toEqual({ enabled: true, allowLocalhost: false });
    expect(await setDomainPublicAuth(db, newId(), { enabled: true })).toBeNull();
  });
});
