import { describe, expect, test } from "vitest";
import { secretFromText } from "../../src/ground/data-folder.ts";
import { createDerivedTokens, hashToken, newKeptToken } from "../../src/ground/tokens.ts";
import { type Authenticated, createAuthenticate } from "../../src/operations/auth/authenticate.ts";
import { createTokenUses } from "../../src/operations/auth/token-uses.ts";
import type { Context } from "../../src/operations/context.ts";
import { isRefusal, type Refusal } from "../../src/operations/refusal.ts";
import type { Db } from "../../src/store/db.ts";
import { type HistoryCursor, insertPastLobby, listPastLobbies } from "../../src/store/lobby-history.ts";
import { findNamespace, findNamespaceById } from "../../src/store/namespaces.ts";
import { prune } from "../../src/store/retention.ts";
import { insertToken, revokeToken } from "../../src/store/tokens.ts";
import type { StoreKind } from "../support/services/stores.ts";
import { emptyStore, newId, now, storedGame, storedNamespace, token } from "./fixtures.ts";

/** What lies exactly on an edge: the moment a token ends, what is equal, what was just forgotten. */
export function edgesTests(kind: StoreKind): void {
  describe("tokens", () => {
    /** A cloud token, and what a call with it gets at a moment. */
    async function tokenIn(db: Db, fields: { expiresTs?: number }) {
      const { gameId } = await storedGame(db);
      const text = newKeptToken("cloud");
      const row = { ...token({ gameId, ...fields }), hash: hashToken(text) };
      await insertToken(db, row);
      let time = now;
      const tokens = createDerivedTokens(secretFromText("a secret that is long enough for tests"), null);
      // Cast: these are the parts of the context that a token is checked with.
      const context = { db, tokens, tokenUses: createTokenUses(db), now: () => time } as Context;
      const authenticate = createAuthenticate(context, newKeptToken("admin"));
      const ask = async (at: number): Promise<string> => {
        time = at;
        const credentials = { authorization: `Bearer ${text}`, origin: undefined, gameReference: gameId };
        const verdict: Authenticated | Refusal = await authenticate(["cloud"], credentials);
        return isRefusal(verdict) ? verdict.code : verdict.caller.kind;
      };
      return { gameId, tokenId: row.tokenId, ask };
    }

    test("[K19] a token is valid until its expires_ts, and at that moment it is not", async () => {
      const { ask } = await tokenIn(await emptyStore(kind), { expiresTs: now + 1000 });
      expect(await ask(now + 999)).toBe("cloud");
      expect(await ask(now + 1000)).toBe("TOKEN_EXPIRED");
      expect(await ask(now + 1001)).toBe("TOKEN_EXPIRED");
    });

    test("[K20] [K23] one that was revoked is refused as such until it is forgotten, and is then invalid", async () => {
      const db = await emptyStore(kind);
      const { gameId, tokenId, ask } = await tokenIn(db, {});
      expect(await ask(now)).toBe("cloud");
      expect(await revokeToken(db, { gameId, namespaceId: null }, tokenId, now)).toBeTruthy();
      expect(await ask(now)).toBe("TOKEN_REVOKED");
      await prune(db, { before: now, now });
      expect(await ask(now)).toBe("TOKEN_REVOKED");
      await prune(db, { before: now + 1, now });
      expect(await ask(now)).toBe("TOKEN_INVALID");
    });
  });

  test("[RT15] stopped lobbies that ended in one moment are each on one page of the history", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const ids = Array.from({ length: 7 }, newId);
    for (const [index, lobbyId] of ids.entries()) {
      await insertPastLobby(db, {
        lobbyId,
        namespaceId,
        gameMode: "duel",
        region: "local",
        versionId: newId(),
        createTs: now,
        readyTs: null,
        stopTs: index < 1 ? now : index < 6 ? now + 5 : now + 9,
        stopReason: "self",
        peakPlayerCount: 0,
        exitCode: null,
        exitSignal: null,
        exitMessage: null,
      });
    }
    for (const limit of [1, 2, 3, 5]) {
      const seen: string[] = [];
      let after: HistoryCursor | null = null;
      for (;;) {
        const page = await listPastLobbies(db, namespaceId, { after, limit });
        seen.push(...page.map(({ lobbyId }) => lobbyId));
        after = page.at(-1) ?? null;
        if (page.length < limit) break;
      }
      expect(seen).toEqual(ids.toReversed());
    }
  });

  test("[T15] [K12] a namespace is found through its own game only, also when it was just read", async () => {
    const db = await emptyStore(kind);
    const own = await storedNamespace(db);
    const other = await storedNamespace(db, { nameId: own.nameId });
    // Read by every way, so that each answer is where the next could find it.
    for (let round = 0; round < 2; round++) {
      expect((await findNamespaceById(db, own.namespaceId))?.gameId).toBe(own.gameId);
      expect((await findNamespace(db, own.gameId, own.namespaceId))?.namespaceId).toBe(own.namespaceId);
      expect((await findNamespace(db, own.gameId, own.nameId))?.namespaceId).toBe(own.namespaceId);
      expect((await findNamespace(db, other.gameId, own.nameId))?.namespaceId).toBe(other.namespaceId);
      expect(await findNamespace(db, other.gameId, own.namespaceId)).toBeNull();
      expect(await findNamespace(db, own.gameId, other.namespaceId)).toBeNull();
      expect((await findNamespace(db, own.gameId, own.namespaceId))?.namespaceId).toBe(own.namespaceId);
    }
  });
}
