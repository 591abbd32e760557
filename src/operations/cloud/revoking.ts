import type { CloseRegistered, Outcome } from "../../matchmaker/commands.ts";
import { raiseRevision } from "../../store/namespaces.ts";
import { findTokenByHash } from "../../store/tokens.ts";
import type { CallerOf } from "../callers.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";

/**
 * Cleans up after a revoked server token. A registration contains the revision of the namespace that it was built from,
 * and checks its token after it has read that revision. Revoking raises the revision once the token is known to be
 * revoked, so a registration is either in the engine before the lobbies are closed, or is built again and refused.
 */
export async function closeRegisteredLobbies(
  context: Context,
  namespaceId: string,
  tokenId: string,
  action: "unroute" | "stop",
): Promise<void> {
  await raiseRevision(context.db, namespaceId);
  await context.configs.changed(namespaceId);
  let after: string | null = null;
  do {
    const command: CloseRegistered = {
      ...{ type: "closeRegistered", namespaceId, now: context.now(), tokenId, action, after },
    };
    const outcome: Outcome<"closeRegistered"> = await context.engine.execute<"closeRegistered">(command);
    if (!outcome.ok) throw new Error(`the rules answered ${outcome.code} to the revocation of a token`);
    after = outcome.next;
  } while (after !== null);
}

/** Null: the token of a registration in flight is still valid. */
export async function checkServerToken({ db }: Context, { tokenHash }: CallerOf<"server">) {
  await db.invalidation.check();
  const row = await findTokenByHash(db, tokenHash);
  if (!row) return refuse("TOKEN_INVALID", "The token is not valid.");
  return row.revokeTs === null ? null : refuse("TOKEN_REVOKED", "The token has been revoked.");
}
