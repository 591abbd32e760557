import type { TokenRow } from "../../store/tokens.ts";
import type { TokenUses } from "../auth/token-uses.ts";
import { timestampOf } from "./pagination.ts";

/** A kept token as it is listed: everything but its secret. */
export function tokenAnswer(row: TokenRow, uses: TokenUses) {
  const lastUsedTs = uses.latest(row.tokenId, row.lastUsedTs);
  return {
    token_id: row.tokenId,
    kind: row.kind,
    create_ts: timestampOf(row.createTs),
    last_used_ts: lastUsedTs === null ? null : timestampOf(lastUsedTs),
    ...(row.expiresTs !== null && { expires_ts: timestampOf(row.expiresTs) }),
    ...(row.revokeTs !== null && { revoke_ts: timestampOf(row.revokeTs) }),
  };
}
