import { hashToken, newKeptToken } from "../../ground/tokens.ts";
import { insertToken, listTokens, revokeToken } from "../../store/tokens.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { gameNotFound, lookUpGame, quoted } from "./lookup.ts";
import { cutPage, isUuid, parsePage } from "./pagination.ts";
import { toTokenReply } from "./token-reply.ts";

/** The cloud tokens of a game. */
export function cloudTokenOperations(context: Context) {
  const { db } = context;

  return {
    "games.tokens.createCloudToken": async ({ params, body, record }) => {
      const expiresTs = body?.expires_ts ? Date.parse(body.expires_ts) : null;
      if (expiresTs !== null && expiresTs <= context.now()) {
        const issue = { path: ["expires_ts", "out_of_range"], message: "must be in the future" };
        return refuse("CLOUD_VALIDATION_ERROR", "The token would already be expired.", { errors: [issue] });
      }
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;

      const token = newKeptToken("cloud");
      const tokenId = context.newId();
      const inserted = await insertToken(record({ target: tokenId }), {
        tokenId,
        kind: "cloud",
        gameId: game.gameId,
        namespaceId: null,
        details: null,
        createTs: context.now(),
        lastUsedTs: null,
        expiresTs,
        revokeTs: null,
        hash: hashToken(token),
      });
      return inserted === "ok" ? { token, token_id: tokenId } : gameNotFound(params.game_id);
    },

    "games.tokens.listTokens": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const tokens = await listTokens(db, { gameId: game.gameId, namespaceId: null }, page);
      const { rows, more } = cutPage(tokens, page, (token) => token.tokenId);
      return { tokens: rows.map((row) => toTokenReply(row, context.tokenUses)), ...more };
    },

    "games.tokens.revokeToken": async ({ params, record }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const scope = { gameId: game.gameId, namespaceId: null };
      const tokenId = params.token_id.toLowerCase();
      const known = isUuid(tokenId) && (await revokeToken(record(), scope, tokenId, context.now()));
      return known ? null : refuse("CLOUD_TOKEN_NOT_FOUND", `The game has no cloud token ${quoted(params.token_id)}.`);
    },
  } satisfies Partial<Handlers>;
}
