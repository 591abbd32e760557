import { bodyMaxBytes } from "../ground/limits.ts";
import { cursor, issueList, named, nullable, object, optional, pageQuery, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { Type } from "./type.ts";

export const displayName = Type.String({ description: "Human-readable name, 1 to 128 bytes of UTF-8." });
export const nameId = Type.String({
  description: "Short identifier, 1 to 32 of `a-z 0-9 -`; can replace the UUID in paths.",
});
export const proposedNames = named("ProposedNames", { display_name: displayName, name_id: nameId });

/** Those who may do everything under `/cloud`; a session is an operator who signed in with a code. */
export const operators = ["admin", "session"] as const;

/** What all operations of the control plane share. */
export const cloud = {
  callers: ["admin", "session", "cloud"],
  rate: "cloud",
  query: null,
  body: null,
  bodyOptional: false,
  bodyMaxBytes,
} as const;

/** A deletion is refused while lobbies live, unless `force` is set. */
export const forceQuery = object({
  force: Type.Optional(Type.Boolean({ description: "Stop running lobbies." })),
});

const game = named("Game", {
  game_id: uuid("The game's id."),
  name_id: nameId,
  display_name: displayName,
  create_ts: timestamp("When it was created."),
});

/** A kept token in a list: never with its secret. */
export const tokenList = named("TokenList", {
  tokens: Type.Array(
    named("Token", {
      token_id: uuid("The token's id, for revoking it."),
      kind: Type.Enum(["cloud", "pub", "dev", "server"]),
      create_ts: timestamp("When it was made."),
      last_used_ts: nullable(timestamp("When it was last used, within half a minute; null if never.")),
      expires_ts: Type.Optional(timestamp("When it ends by itself.")),
      revoke_ts: Type.Optional(timestamp("When it was revoked.")),
    }),
  ),
  cursor,
});

export const newToken = named("NewToken", {
  token: Type.String({ description: "The secret. It is shown only once; Foyer stores only its hash." }),
  token_id: uuid("The token's id, for revoking it."),
});

export const games = {
  "games.listGames": {
    ...cloud,
    method: "GET",
    path: "/cloud/games",
    summary: "Lists the games; with a cloud token, the one game it belongs to.",
    query: pageQuery,
    reply: object({ games: Type.Array(game), cursor }),
    errors: ["API_BAD_QUERY"],
  },
  "games.createGame": {
    ...cloud,
    method: "POST",
    path: "/cloud/games",
    summary: "Creates a game.",
    callers: operators,
    body: proposedNames,
    reply: object({ game_id: uuid("The new game's id.") }),
    errors: ["CLOUD_VALIDATION_ERROR", "CLOUD_NAME_TAKEN"],
  },
  "games.validateGame": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/validate",
    isCheck: true,
    summary: "Checks the names proposed for a new game and lists every issue.",
    callers: operators,
    body: proposedNames,
    reply: issueList,
    errors: [],
  },
  "games.getGame": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}",
    summary: "Reads a game.",
    reply: object({ game }),
    errors: ["CLOUD_GAME_NOT_FOUND"],
  },
  "games.deleteGame": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/games/{game_id}",
    summary: "Deletes a game with its namespaces, versions and tokens.",
    callers: operators,
    query: forceQuery,
    reply: null,
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_EMPTY"],
  },
  "games.tokens.createCloudToken": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/tokens/cloud",
    summary: "Creates a cloud token, which has the rights over this one game.",
    callers: operators,
    body: object({ expires_ts: optional(timestamp("When the token expires; absent or null: never.")) }),
    bodyOptional: true,
    reply: newToken,
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_VALIDATION_ERROR"],
  },
  "games.tokens.listTokens": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/tokens",
    summary: "Lists the game's cloud tokens, newest first, without their secrets.",
    callers: operators,
    query: pageQuery,
    reply: tokenList,
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND"],
  },
  "games.tokens.revokeToken": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/games/{game_id}/tokens/{token_id}",
    summary: "Revokes a cloud token of the game.",
    callers: operators,
    reply: null,
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_TOKEN_NOT_FOUND"],
  },
} as const satisfies Record<string, Operation>;
