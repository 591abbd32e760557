import { findGame, type Game, gameNameExists, insertGame, isGameNameDeleting, listGames } from "../../store/games.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";
import { deleteGame } from "./delete.ts";
import { gameNotFound, lookUpGame } from "./lookup.ts";
import { checkNames, nameTaken, refuseNames } from "./names.ts";
import { cutPage, parsePage, toTimestamp } from "./pagination.ts";

export function gameOperations(context: Context) {
  const { db } = context;
  const check = (names: { display_name: string; name_id: string }) =>
    checkNames(names, (nameId) => gameNameExists(db, nameId));

  return {
    "games.listGames": async ({ caller, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      if (caller.kind === "cloud") {
        const own = await findGame(db, caller.gameId);
        return { games: own ? [toGameReply(own)] : [] };
      }
      const { rows, more } = cutPage(await listGames(db, page), page, (game) => game.gameId);
      return { games: rows.map(toGameReply), ...more };
    },

    "games.createGame": async ({ body, record }) => {
      const names = await check(body);
      const isDeleting = () => isGameNameDeleting(db, body.name_id);
      if (names.issues.length > 0) return refuseNames(names, "game", isDeleting);

      const game = {
        gameId: context.newId(),
        nameId: body.name_id,
        displayName: names.displayName,
        createTs: context.now(),
      };
      const { gameId, nameId } = game;
      if ((await insertGame(record({ gameId, target: nameId }), game)) === "NAME_TAKEN")
        return nameTaken(body.name_id, "game", isDeleting);
      return { game_id: gameId };
    },

    "games.validateGame": async ({ body }) => ({ errors: (await check(body)).issues }),

    "games.getGame": async ({ params }) => {
      const game = await lookUpGame(db, params);
      return isRefusal(game) ? game : { game: toGameReply(game) };
    },

    "games.deleteGame": async ({ params, query, record }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const remaining = await deleteGame(context, record({ target: game.nameId }), game, query.force ?? false);
      if (remaining === "GAME_NOT_FOUND") return gameNotFound(params.game_id);
      return remaining;
    },
  } satisfies Partial<Handlers>;
}

function toGameReply(game: Game) {
  return {
    game_id: game.gameId,
    name_id: game.nameId,
    display_name: game.displayName,
    create_ts: toTimestamp(game.createTs),
  };
}
