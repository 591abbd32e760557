import { describe, expect, test } from "vitest";
import { listAudit, pruneAudit, recording } from "../../src/store/audit.ts";
import { cached } from "../../src/store/cache.ts";
import type { AuditEntry, Db, PendingChange } from "../../src/store/db.ts";
import { findGame, insertGame } from "../../src/store/games.ts";
import { prune } from "../../src/store/retention.ts";
import { revokeToken } from "../../src/store/tokens.ts";
import { storeKinds } from "../support/services/stores.ts";
import { emptyStore, firstPage, game, newId, now, storedGame } from "./fixtures.ts";

const everything = { gameId: null, tokenId: null, operation: null, sinceTs: null };

function entry(fields: Partial<AuditEntry> = {}): AuditEntry {
  const nobody = { tokenId: null, gameId: null, namespaceId: null, target: null };
  const made = { auditId: newId(), at: now, operation: "games.createGame", kind: "admin", client: "127.0.0.1" };
  return { ...made, ...nobody, requestId: "request-1", ...fields };
}

function pending(fields: Partial<AuditEntry> = {}): PendingChange {
  return { entry: () => entry(fields), written: null };
}

async function stored(db: Db, fields: Partial<AuditEntry>): Promise<string> {
  const change = pending(fields);
  await insertGame(recording(db, change), game());
  return change.written!.auditId;
}

describe.each(storeKinds)("the audit log on %s", (kind) => {
  test("[AU2] a change and its entry are there together, or neither is", async () => {
    const db = await emptyStore(kind);
    const auditId = await stored(db, { target: "first" });
    const refused = game();

    // The entry cannot be written, because there is one with its id.
    await expect(insertGame(recording(db, pending({ auditId })), refused)).rejects.toThrow();

    expect(await findGame(db, refused.gameId)).toBeNull();
    expect(await listAudit(db, everything, firstPage)).toMatchObject([{ auditId, target: "first" }]);
  });

  test("[AU1] [AU2] what is refused leaves no entry, and one change leaves one however often the store is written to", async () => {
    const db = await emptyStore(kind);
    const { nameId, gameId } = await storedGame(db);
    const change = pending();
    const audited = recording(db, change);

    expect(await insertGame(audited, game({ nameId }))).toBe("NAME_TAKEN");
    expect(await revokeToken(audited, { gameId, namespaceId: null }, newId(), now)).toBeNull();
    expect([change.written, await listAudit(db, everything, firstPage)]).toEqual([null, []]);

    expect(await insertGame(audited, game())).toBe("ok");
    expect(await insertGame(audited, game())).toBe("ok");
    expect(await listAudit(db, everything, firstPage)).toEqual([change.written]);
  });

  test("[AU5] old entries go, and the oldest of too many; what is kept in memory stays", async () => {
    const db = await emptyStore(kind);
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) ids.unshift(await stored(db, { at: now + index }));
    const left = async () => (await listAudit(db, everything, firstPage)).map(({ auditId }) => auditId);
    await cached(db, "key", async () => "kept");

    expect(await pruneAudit(db, { before: now + 2, rowsMax: 100 })).toBe(2);
    expect(await left()).toEqual(ids.slice(0, 6));
    expect(await pruneAudit(db, { before: 0, rowsMax: 6 })).toBe(0);
    expect(await pruneAudit(db, { before: 0, rowsMax: 4 })).toBe(2);
    expect(await left()).toEqual(ids.slice(0, 4));
    if (db.cache) expect(await cached(db, "key", async () => "loaded again")).toBe("kept");
    expect(await prune(db, { before: now + 5, now })).toBe(1);
    expect(await left()).toEqual(ids.slice(0, 3));
  });
});
