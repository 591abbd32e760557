import { cursor, named, object, pageQuery, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud } from "./games.ts";
import { Type } from "./type.ts";

const expiresTs = timestamp("When it ends by itself.");

/** What tools and pages ask before anything else, and how a person signs in to the dashboard. */
export const auth = {
  "auth.whoami": {
    ...cloud,
    method: "GET",
    path: "/cloud/whoami",
    summary: "Says which token this is and what it may do.",
    reply: named("WhoamiAnswer", {
      kind: Type.Enum(["admin", "session", "cloud"]),
      game_id: Type.Optional(uuid("The one game of a cloud token.")),
      token_id: Type.Optional(uuid("The token or the session; absent for the admin token.")),
      expires_ts: Type.Optional(timestamp("When the token expires; absent: never.")),
      may: object({
        create_games: Type.Boolean(),
        run_processes: Type.Boolean({
          description: "Make versions with the `process` runtime, which run programs on the machine of the service.",
        }),
        run_containers: Type.Boolean({
          description: "Make versions with the `docker` runtime, which run containers on the machine of the service.",
        }),
      }),
    }),
    errors: [],
  },
  "auth.createSignInCode": {
    ...cloud,
    method: "POST",
    path: "/cloud/sign-in-codes",
    summary: "Makes a code that signs one person in to the dashboard, once, within five minutes.",
    details:
      "Open `/#sign-in=CODE` of the same service in a browser: the page signs in and removes the code from its address.",
    callers: ["admin"],
    reply: object({ code: Type.String({ description: "128 random bits." }), expires_ts: expiresTs }),
    errors: [],
  },
  "auth.signIn": {
    ...cloud,
    method: "POST",
    path: "/cloud/sign-in",
    summary: "Signs in with a code, and gives a session token, which may do what the admin token may but make codes.",
    details:
      "Takes no token, and of pages only those of the service's own origin. The token ends twelve hours after its last " +
      "use (noted once a minute), 30 days after it was made, when it is ended, and when another admin token is set.",
    callers: ["none"],
    body: object({
      code: Type.String({ minLength: 1, maxLength: 128, description: "The code of a sign-in address." }),
    }),
    reply: object({ token: Type.String({ description: "The session token." }), expires_ts: expiresTs }),
    errors: ["TOKEN_INVALID", "API_RATE_LIMIT"],
  },
  "auth.signOut": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/sign-in",
    summary: "Ends the session of the token that it is called with.",
    callers: ["session"],
    reply: null,
    errors: [],
  },
  "auth.listSessions": {
    ...cloud,
    method: "GET",
    path: "/cloud/sessions",
    summary: "Lists who is signed in, newest first.",
    callers: ["admin", "session"],
    query: pageQuery,
    reply: object({
      sessions: Type.Array(
        named("SignedIn", {
          session_id: uuid("The session's id, as in the audit log."),
          create_ts: timestamp("When it was made."),
          last_used_ts: timestamp("When it was last used; noted once a minute."),
          expires_ts: timestamp("When it ends if it is not used again."),
        }),
      ),
      cursor,
    }),
    errors: ["API_BAD_QUERY"],
  },
  "auth.endSession": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/sessions/{session_id}",
    summary: "Ends a session, and its event streams.",
    callers: ["admin", "session"],
    reply: null,
    errors: ["CLOUD_TOKEN_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
