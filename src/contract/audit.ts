import { cursor, named, object, pageQuery, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud, operators } from "./games.ts";
import { Type } from "./type.ts";

const entry = named("AuditEntry", {
  audit_id: uuid("The entry."),
  at: timestamp("When the change was made."),
  operation: Type.String({ description: "The operation that made it." }),
  kind: Type.String({ description: "The kind of token it was made with; `none` for signing in with a code." }),
  token_id: Type.Optional(uuid("The token, or the session; absent for the admin token.")),
  game_id: Type.Optional(uuid("The game it was made in, which may have been deleted since.")),
  namespace_id: Type.Optional(uuid("The namespace it was made in, which may have been deleted since.")),
  target: Type.Optional(
    Type.String({
      description: "The id or name of what was changed: a token, session, domain, version, lobby, or a new name.",
    }),
  ),
  client: Type.String({ description: "The address that the call came from." }),
  request_id: Type.String({ description: "The `x-request-id` of the answer." }),
});

export const audit = {
  "audit.list": {
    ...cloud,
    method: "GET",
    path: "/cloud/audit",
    summary: "Lists the changes made under /cloud, newest first: who, what, when and from where.",
    details:
      "Every successful call that changes something is one entry, even when there was nothing left to change. " +
      "An entry has ids and names only. Foyer keeps entries for `retention_days`, at most 1,000,000 of them.",
    callers: operators,
    query: object({
      ...pageQuery.properties,
      game_id: Type.Optional(uuid("Only changes of this game.")),
      token_id: Type.Optional(uuid("Only changes made with this token.")),
      operation: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: "Only changes by this operation." }),
      ),
      since_ts: Type.Optional(timestamp("Only changes at this moment or later.")),
    }),
    reply: object({ entries: Type.Array(entry), cursor }),
    errors: ["API_BAD_QUERY"],
  },
} as const satisfies Record<string, Operation>;
