import { pageSizeDefault } from "../../ground/limits.ts";
import { redact } from "../../ground/redact.ts";
import { NodeSilent } from "../../nodes/calls.ts";
import { readNewestText } from "../../runtime/log-text.ts";
import { findPastLobby, type HistoryCursor, type ListedLobby, listPastLobbies } from "../../store/lobby-history.ts";
import { getTokenId } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { newestLogBytes } from "../live/log-cursor.ts";
import { createLogFollowing } from "../live/log-following.ts";
import type { ServedLobby } from "../live/remote-runtime.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { lookUpNamespace, quoted } from "./lookup.ts";
import { badCursor, isUuid, type PageQuery, toTimestamp } from "./pagination.ts";

/** The logs of lobbies, and the lobbies that have stopped. */
export function lobbyRecordOperations(context: Context) {
  const { db, engine, lobbyServers, now } = context;
  const following = createLogFollowing(context);

  /** The engine keeps stopped lobbies for a while, the history for long. */
  async function find(namespaceId: string, lobbyId: string): Promise<ServedLobby | null> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    if (lobby !== null) return lobby;
    return (await findPastLobby(db, namespaceId, lobbyId)) === null ? null : { lobbyId, nodeId: undefined };
  }

  return {
    "games.namespaces.lobbies.getLogs": async ({ caller, params, query, lastEventId }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const lobbyId = params.lobby_id.toLowerCase();
      const lobby = isUuid(lobbyId) ? await find(namespace.namespaceId, lobbyId) : null;
      if (lobby === null) {
        return refuse("CLOUD_LOBBY_NOT_FOUND", `The namespace has no lobby ${quoted(params.lobby_id)}.`);
      }
      const stream = query.stream ?? "stdout";
      const owner = { namespaceId: namespace.namespaceId, tokenId: getTokenId(caller) };
      try {
        if (query.follow) return await following.open(params, owner, lobby, stream, lastEventId);
        const piece = (from: number, maxBytes: number) => lobbyServers.logPiece(lobby, stream, from, maxBytes);
        // A program that prints its environment must not reveal its token to everyone who may read logs.
        const { text, isTruncated } = await readNewestText(piece, newestLogBytes, redact);
        const lostNode = text === "" ? lobbyServers.lostNode(lobby) : null;
        return lostNode === null ? { stream, text, is_truncated: isTruncated } : refuseLost(lostNode);
      } catch (error) {
        if (error instanceof NodeSilent) return refuseSilent(error);
        throw error;
      }
    },

    "games.namespaces.lobbies.history": async ({ params, query }) => {
      const after = parseHistoryCursor(query);
      if (isRefusal(after)) return after;
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const limit = query.limit ?? pageSizeDefault;
      const rows = await listPastLobbies(db, namespace.namespaceId, { after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      return {
        lobbies: shown.map(toPastLobbyReply),
        ...(rows.length > limit && { cursor: writeHistoryCursor(shown.at(-1)!) }),
      };
    },
  } satisfies Partial<Handlers>;
}

function refuseSilent({ message }: NodeSilent) {
  return refuse("API_UNAVAILABLE", `${message} It has the log of this lobby. Try again shortly.`, { retryAfterS: 2 });
}

function refuseLost(nodeId: string) {
  const message = `Node "${nodeId}" has the log of this lobby, and it does not run or cannot reach Redis. Try again when it is back.`;
  return refuse("API_UNAVAILABLE", message, { retryAfterS: 30 });
}

function parseHistoryCursor({ cursor }: PageQuery) {
  if (cursor === undefined) return null;
  const [time = "", lobbyId = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  if (!/^\d{1,15}$/.test(time) || !isUuid(lobbyId)) return badCursor();
  return { stopTs: Number(time), lobbyId } satisfies HistoryCursor;
}

function writeHistoryCursor({ stopTs, lobbyId }: HistoryCursor): string {
  return Buffer.from(`${stopTs} ${lobbyId}`).toString("base64url");
}

function toPastLobbyReply(lobby: ListedLobby) {
  return {
    lobby_id: lobby.lobbyId,
    game_mode_id: lobby.gameMode,
    region_id: lobby.region,
    version_id: lobby.versionId,
    version_display_name: lobby.versionName,
    is_version_deleted: lobby.isVersionDeleted,
    create_ts: toTimestamp(lobby.createTs),
    ready_ts: lobby.readyTs === null ? null : toTimestamp(lobby.readyTs),
    stop_ts: toTimestamp(lobby.stopTs),
    stop_reason: lobby.stopReason,
    peak_player_count: lobby.peakPlayerCount,
    exit_code: lobby.exitCode,
    exit_signal: lobby.exitSignal,
    exit_message: lobby.exitMessage,
  };
}
