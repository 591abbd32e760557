import { withoutLostRaces } from "./cache.ts";
import type { Db } from "./db.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { isForeignKeyViolation } from "./errors.ts";

export interface PastLobby {
  readonly lobbyId: string;
  readonly namespaceId: string;
  readonly gameMode: string;
  readonly region: string;
  readonly versionId: string;
  readonly createTs: number;
  readonly readyTs: number | null;
  readonly stopTs: number;
  readonly stopReason: string;
  readonly peakPlayerCount: number;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly exitMessage: string | null;
}

/** With its version, whose name is null if the version was deleted and then pruned. */
export interface ListedLobby extends PastLobby {
  readonly versionName: string | null;
  readonly isVersionDeleted: boolean;
}

/** Where a page begins: after this lobby. */
export interface HistoryCursor {
  readonly stopTs: number;
  readonly lobbyId: string;
}

/** Does nothing if the history already has the lobby, or if the namespace was deleted. */
export function insertPastLobby(db: Db, lobby: PastLobby): Promise<void> {
  // Does not use write(): the history is never in the cache, and stopping lobbies must not empty the cache.
  return withoutLostRaces(async () => {
    try {
      await db.query
        .insertInto("lobby_history")
        .values({
          lobby_id: lobby.lobbyId,
          namespace_id: lobby.namespaceId,
          game_mode: lobby.gameMode,
          region: lobby.region,
          version_id: lobby.versionId,
          create_ts: lobby.createTs,
          ready_ts: lobby.readyTs,
          stop_ts: lobby.stopTs,
          stop_reason: lobby.stopReason,
          peak_player_count: lobby.peakPlayerCount,
          exit_code: lobby.exitCode,
          exit_signal: lobby.exitSignal,
          exit_message: lobby.exitMessage,
        })
        .onConflict((conflict) => conflict.column("lobby_id").doNothing())
        .execute();
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
    }
  });
}

/**
 * Stores how the process of a lobby in the history ended, unless that is already stored. False: the history does not
 * have the lobby.
 */
export function updatePastExit(
  db: Db,
  lobbyId: string,
  exit: { readonly code: number | null; readonly signal: string | null; readonly message: string | null },
): Promise<boolean> {
  return withoutLostRaces(async () => {
    const { numUpdatedRows } = await db.query
      .updateTable("lobby_history")
      .set(({ fn, val }) => ({
        exit_code: fn.coalesce("exit_code", val(exit.code)),
        exit_signal: fn.coalesce("exit_signal", val(exit.signal)),
        exit_message: fn.coalesce("exit_message", val(exit.message)),
      }))
      .where("lobby_id", "=", lobbyId)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}

/** Newest first. */
export async function listPastLobbies(
  db: Db,
  namespaceId: string,
  page: { after: HistoryCursor | null; limit: number },
): Promise<ListedLobby[]> {
  let query = db.query
    .selectFrom("lobby_history")
    .leftJoin("versions", "versions.version_id", "lobby_history.version_id")
    .select([...columns, "versions.display_name as versionName", "versions.delete_ts as versionDeleteTs"])
    .where("namespace_id", "=", namespaceId);
  const { after } = page;
  if (after !== null) {
    query = query.where((where) =>
      where.or([
        where("stop_ts", "<", after.stopTs),
        where.and([where("stop_ts", "=", after.stopTs), where("lobby_id", "<", after.lobbyId)]),
      ]),
    );
  }
  const rows = await query.orderBy("stop_ts", "desc").orderBy("lobby_id", "desc").limit(page.limit).execute();
  return rows.map(({ versionDeleteTs, ...row }) => ({
    ...row,
    isVersionDeleted: row.versionName === null || versionDeleteTs !== null,
  }));
}

export async function findPastLobby(db: Db, namespaceId: string, lobbyId: string): Promise<PastLobby | null> {
  const row = await db.query
    .selectFrom("lobby_history")
    .select(columns)
    .where("namespace_id", "=", namespaceId)
    .where("lobby_id", "=", lobbyId)
    .executeTakeFirst();
  return row ?? null;
}

/** How the processes of these lobbies ended, if known. */
export async function listPastExits(db: Db, namespaceId: string, lobbyIds: readonly string[]) {
  if (lobbyIds.length === 0) return [];
  return await db.query
    .selectFrom("lobby_history")
    .select(["lobby_id as lobbyId", "exit_code as code", "exit_signal as signal", "exit_message as message"])
    .where("namespace_id", "=", namespaceId)
    .where("lobby_id", "in", lobbyIds)
    .where((where) => where.or([where("exit_code", "is not", null), where("exit_signal", "is not", null)]))
    .execute();
}

/** Deletes lobbies that stopped before the time. Returns their number. */
export function prunePastLobbies({ query }: Db, before: number): Promise<number> {
  const old = query.selectFrom("lobby_history").select("lobby_id").where("stop_ts", "<", before).orderBy("stop_ts");
  return deleteInSteps((limit) =>
    query.deleteFrom("lobby_history").where("lobby_id", "in", old.limit(limit)).executeTakeFirstOrThrow(),
  );
}

const columns = [
  "lobby_id as lobbyId",
  "namespace_id as namespaceId",
  "game_mode as gameMode",
  "region",
  "lobby_history.version_id as versionId",
  "lobby_history.create_ts as createTs",
  "ready_ts as readyTs",
  "stop_ts as stopTs",
  "stop_reason as stopReason",
  "peak_player_count as peakPlayerCount",
  "exit_code as exitCode",
  "exit_signal as exitSignal",
  "exit_message as exitMessage",
] as const;
