import { toTimestamp } from "../cloud/pagination.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { refuse } from "../refusal.ts";
import { wrongCodesPerMinute } from "./sessions.ts";

export function signInOperations({ sessions }: Context) {
  return {
    "auth.createSignInCode": async () => {
      const { code, expiresTs } = sessions.createCode();
      return { code, expires_ts: toTimestamp(expiresTs) };
    },
    "auth.signIn": async ({ body, record }) => {
      const session = sessions.signIn(body.code);
      if (session === "wrong") return refuse("TOKEN_INVALID", wrongCode);
      if ("retryAfterS" in session) {
        const { retryAfterS } = session;
        const message = `More than ${wrongCodesPerMinute} wrong codes a minute. Try again in ${retryAfterS} seconds.`;
        return refuse("API_RATE_LIMIT", message, { retryAfterS });
      }

      record({ target: session.tokenId });
      return { token: session.token, expires_ts: toTimestamp(session.expiresTs) };
    },
    "auth.signOut": async ({ caller, record }) => {
      record({ target: caller.tokenId });
      sessions.end(caller.tokenId);
      return null;
    },
  } satisfies Partial<Handlers>;
}

const wrongCode =
  "The code is not valid: it was used already, is older than five minutes, or another node made it. foyer open prints another.";
