import type { TokenRow } from "../../store/tokens.ts";
import type { TokenUses } from "../auth/token-uses.ts";
import { toTimestamp } from "./pagination.ts";

/** A stored token in a list: everything except its secret. */
export function toTokenReply(row: TokenRow, uses: TokenUses) {
  const lastUsedTs = uses.latest(row.tokenId, row.lastUsedTs);
  return {
    token_id: row.tokenId,
    kind: row.kind,
    create_ts: toTimestamp(row.createTs),
    last_used_ts: lastUsedTs === null ? null : toTimestamp(lastUsedTs),
    ...(row.expiresTs !== null && { expires_ts: toTimestamp(row.expiresTs) }),
    ...(row.revokeTs !== null && { revoke_ts: toTimestamp(row.revokeTs) }),
  };
}
