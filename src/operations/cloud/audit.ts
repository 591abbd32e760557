import { nearest } from "../../config/nearest.ts";
import { operationIds } from "../../contract/index.ts";
import { listAudit } from "../../store/audit.ts";
import type { AuditEntry } from "../../store/db.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { quoted } from "./lookup.ts";
import { cutPage, parsePage, toTimestamp } from "./pagination.ts";

export function auditOperations({ db }: Context) {
  return {
    "audit.list": async ({ query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const { game_id, token_id, operation, since_ts } = query;
      if (operation !== undefined && !operationIds.some((id) => id === operation)) return unknownOperation(operation);
      const filter = {
        gameId: game_id?.toLowerCase() ?? null,
        tokenId: token_id?.toLowerCase() ?? null,
        operation: operation ?? null,
        sinceTs: since_ts === undefined ? null : Date.parse(since_ts),
      };
      const { rows, more } = cutPage(await listAudit(db, filter, page), page, (entry) => entry.auditId);
      return { entries: rows.map(toAuditReply), ...more };
    },
  } satisfies Partial<Handlers>;
}

/** As the API and the log show it. */
export function toAuditReply(entry: AuditEntry) {
  return {
    audit_id: entry.auditId,
    at: toTimestamp(entry.at),
    operation: entry.operation,
    kind: entry.kind,
    ...(entry.tokenId !== null && { token_id: entry.tokenId }),
    ...(entry.gameId !== null && { game_id: entry.gameId }),
    ...(entry.namespaceId !== null && { namespace_id: entry.namespaceId }),
    ...(entry.target !== null && { target: entry.target }),
    client: entry.client,
    request_id: entry.requestId,
  };
}

/** Without this check a misspelt name would look like a log without entries. */
function unknownOperation(operation: string) {
  const near = nearest(operation, operationIds);
  const message = `${quoted(operation)} is not an operation${near ? `; did you mean ${near}?` : ""}`;
  return refuse("API_BAD_QUERY", "The query is invalid; see `errors`.", { errors: [{ path: ["operation"], message }] });
}
