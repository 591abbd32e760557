import { describe, expect, test } from "vitest";
import { findTokenByHash, insertToken, listTokens, recordTokenUse, revokeToken } from "../../src/store/tokens.ts";
import { storeKinds } from "../support/services/stores.ts";
import { emptyStore, firstPage, newId, now, storedGame, storedNamespace, token, uint32Max, walk } from "./fixtures.ts";

describe.each(storeKinds)("tokens on %s", (kind) => {
  test("[K5] a token is found by its hash with every field", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const made = token({
      gameId,
      namespaceId,
      kind: "dev",
      details: '{"hostname":"127.0.0.1"}',
      lastUsedTs: now,
      expiresTs: uint32Max * 1000,
    });
    expect(await findTokenByHash(db, made.hash)).toBeNull();

    expect(await insertToken(db, made)).toBe("ok");

    const { hash, ...row } = made;
    expect(await findTokenByHash(db, hash)).toEqual(row);
  });

  test("a token whose game or namespace is gone, or that are not of one another, is refused", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const other = await storedGame(db);

    expect(await insertToken(db, token({ gameId: newId() }))).toBe("OWNER_NOT_FOUND");
    expect(await insertToken(db, token({ gameId, namespaceId: newId() }))).toBe("OWNER_NOT_FOUND");
    expect(await insertToken(db, token({ gameId: other.gameId, namespaceId }))).toBe("OWNER_NOT_FOUND");
  });

  test("the same hash twice is an error", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const made = token({ gameId });
    await insertToken(db, made);

    await expect(insertToken(db, { ...token({ gameId }), hash: made.hash })).rejects.toThrow(/unique/i);
  });

  test("[K22] lists keep the game's own tokens and each namespace's apart, newest first, page by page", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const cloud = token({ gameId });
    await insertToken(db, cloud);
    const pubs = Array.from({ length: 7 }, () => token({ gameId, namespaceId }));
    for (const pub of pubs) await insertToken(db, pub);

    const own = await listTokens(db, { gameId, namespaceId: null }, firstPage);
    const walked = await walk(
      (page) => listTokens(db, { gameId, namespaceId }, page),
      (row) => row.tokenId,
      3,
    );

    expect(own.map((row) => row.tokenId)).toEqual([cloud.tokenId]);
    expect(walked.map((row) => row.tokenId)).toEqual(pubs.map((row) => row.tokenId).reverse());
    expect(own[0]).not.toHaveProperty("hash");
  });

  test("[K20] [K21] revoking works for the owner, at once, and keeps the first moment", async () => {
    const db = await emptyStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const owner = { gameId, namespaceId };
    const made = token(owner);
    await insertToken(db, made);
    const revokedAt = async () => (await findTokenByHash(db, made.hash))?.revokeTs;
    expect(await revokedAt()).toBeNull();

    expect(await revokeToken(db, { gameId, namespaceId: null }, made.tokenId, now)).toBeNull();
    expect(await revokeToken(db, { gameId: newId(), namespaceId }, made.tokenId, now)).toBeNull();
    expect(await revokeToken(db, owner, newId(), now)).toBeNull();
    expect(await revokedAt()).toBeNull();

    expect(await revokeToken(db, owner, made.tokenId, now + 1)).toBe(made.kind);
    expect(await revokedAt()).toBe(now + 1);
    expect(await revokeToken(db, owner, made.tokenId, now + 2)).toBe(made.kind);
    expect(await revokedAt()).toBe(now + 1);
  });

  test("[K22] the time of use never goes back, and unknown tokens are passed over", async () => {
    const db = await emptyStore(kind);
    const { gameId } = await storedGame(db);
    const made = Array.from({ length: 450 }, () => token({ gameId }));
    // One after the other: 450 at once wait for a connection longer than the pool allows on a slow machine.
    for (const row of made) await insertToken(db, row);
    const uses = (usedTs: number) => new Map([[newId(), usedTs], ...made.map((row) => [row.tokenId, usedTs] as const)]);
    const times = async () => {
      const rows = await listTokens(db, { gameId, namespaceId: null }, { after: null, limit: 500 });
      return new Set(rows.map((row) => row.lastUsedTs));
    };

    await recordTokenUse(db, new Map());
    expect(await times()).toEqual(new Set([null]));
    await recordTokenUse(db, uses(now + 5));
    expect(await times()).toEqual(new Set([now + 5]));
    await recordTokenUse(db, uses(now));
    expect(await times()).toEqual(new Set([now + 5]));
    await recordTokenUse(db, uses(now + 6));
    expect(await times()).toEqual(new Set([now + 6]));
  });
});
