import { cached } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { type PreparedRead, parameter, readRow } from "./read.ts";
import { transact } from "./transaction.ts";

export interface Game {
  readonly gameId: string;
  readonly nameId: string;
  readonly displayName: string;
  readonly createTs: number;
}

export function insertGame(db: Db, game: Game): Promise<"ok" | "NAME_TAKEN"> {
  return transact<"ok" | "NAME_TAKEN">(db, [], async (transaction, undo) => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("games")
      .values({
        game_id: game.gameId,
        name_id: game.nameId,
        display_name: game.displayName,
        create_ts: game.createTs,
      })
      .onConflict((conflict) => conflict.column("name_id").doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) throw undo("NAME_TAKEN");
    return "ok";
  });
}

/** By UUID in any case, or by name_id. A name is shorter than a UUID, so the two cannot be confused. */
export function findGame(db: Db, ref: string): Promise<Game | null> {
  if (isUuid(ref)) {
    const gameId = ref.toLowerCase();
    return cached(db, `game ${gameId}`, () => readRow(db, gameById, [gameId]), aboutGame);
  }
  if (!mayBeName(ref)) return Promise.resolve(null);
  return cached(db, `game-name ${ref}`, () => readRow(db, gameByName, [ref]), aboutGame);
}

function aboutGame({ gameId }: Game): readonly string[] {
  return [gameId];
}

/** Also true for a deleted game of which something is still to be removed. */
export function gameNameExists(db: Db, nameId: string): Promise<boolean> {
  return cached(db, `game-name-exists ${nameId}`, async () => (await readRow(db, nameUse, [nameId])) !== null);
}

export async function isGameNameDeleting(db: Db, nameId: string): Promise<boolean> {
  return (await readRow(db, nameUse, [nameId]))?.deleteTs != null;
}

/** By id, ascending. */
export async function listGames(db: Db, page: Page): Promise<Game[]> {
  let query = db.query.selectFrom("games").select(gameColumns).where("delete_ts", "is", null);
  if (page.after !== null) query = query.where("game_id", ">", page.after);
  return await query.orderBy("game_id").limit(page.limit).execute();
}

export function isUuid(ref: string): boolean {
  return uuidPattern.test(ref);
}

/** Only valid names are looked up: SQLite cuts a text at a NUL, and PostgreSQL refuses a NUL. */
export function mayBeName(ref: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(ref);
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const gameColumns = [
  "game_id as gameId",
  "name_id as nameId",
  "display_name as displayName",
  "create_ts as createTs",
] as const;

const gameById: PreparedRead<Game> = {
  name: "gameById",
  build: (query) =>
    query.selectFrom("games").select(gameColumns).where("game_id", "=", parameter).where("delete_ts", "is", null),
};

const gameByName: PreparedRead<Game> = {
  name: "gameByName",
  build: (query) =>
    query.selectFrom("games").select(gameColumns).where("name_id", "=", parameter).where("delete_ts", "is", null),
};

const nameUse: PreparedRead<{ readonly deleteTs: number | null }> = {
  name: "gameNameUse",
  build: (query) => query.selectFrom("games").select("delete_ts as deleteTs").where("name_id", "=", parameter),
};
