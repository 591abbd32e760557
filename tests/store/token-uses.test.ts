import { expect, test } from "vitest";
import { createTokenUses } from "../../src/operations/auth/token-uses.ts";
import { findTokenByHash, insertToken } from "../../src/store/tokens.ts";
import { emptyStore, now, storedGame, token } from "./fixtures.ts";

test("[K22] a use that is being written, or has just been, is the latest one for a caller that read the store before", async () => {
  const db = await emptyStore("postgresql");
  const { gameId } = await storedGame(db);
  const made = token({ gameId });
  await insertToken(db, made);
  const uses = createTokenUses(db);
  uses.note(made.tokenId, now + 1);
  const flushing = uses.flush();
  expect(uses.latest(made.tokenId, null)).toBe(now + 1);
  await flushing;
  expect(uses.latest(made.tokenId, null)).toBe(now + 1);
  expect((await findTokenByHash(db, made.hash))?.lastUsedTs).toBe(now + 1);
  // What another node has written since is later.
  expect(uses.latest(made.tokenId, now + 2)).toBe(now + 2);
});
