import { cutPage, isUuid, parsePage, toTimestamp } from "../cloud/pagination.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { wrongCodesPerMinute } from "./sessions.ts";

export function signInOperations({ sessions }: Context) {
  return {
    "auth.createSignInCode": async ({ record }) => {
      const { code, expiresTs } = await sessions.createCode(record());
      return { code, expires_ts: toTimestamp(expiresTs) };
    },
    "auth.signIn": async ({ body, record }) => {
      const session = await sessions.signIn(body.code, (target) => record({ target }));
      if (session === "wrong") return refuse("TOKEN_INVALID", wrongCode);
      if ("retryAfterS" in session) {
        const { retryAfterS } = session;
        const message = `More than ${wrongCodesPerMinute} wrong codes a minute. Try again in ${retryAfterS} seconds.`;
        return refuse("API_RATE_LIMIT", message, { retryAfterS });
      }

      return { token: session.token, expires_ts: toTimestamp(session.expiresTs) };
    },
    "auth.signOut": async ({ caller, record }) => {
      await sessions.end(caller.tokenId, record({ target: caller.tokenId }));
      return null;
    },
    "auth.listSessions": async ({ query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const { rows, more } = cutPage(await sessions.list(page), page, ({ tokenId }) => tokenId);
      const listed = rows.map(({ tokenId, createTs, lastUsedTs, expiresTs }) => ({
        session_id: tokenId,
        create_ts: toTimestamp(createTs),
        last_used_ts: toTimestamp(lastUsedTs),
        expires_ts: toTimestamp(expiresTs),
      }));
      return { sessions: listed, ...more };
    },
    "auth.endSession": async ({ params, record }) => {
      const sessionId = params.session_id.toLowerCase();
      const isEnded = isUuid(sessionId) && (await sessions.end(sessionId, record({ target: sessionId })));
      return isEnded ? null : refuse("CLOUD_TOKEN_NOT_FOUND", "There is no such session.");
    },
  } satisfies Partial<Handlers>;
}

const wrongCode =
  "The code is not valid: it was used already, or is older than five minutes. foyer open prints another.";
