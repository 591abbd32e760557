import { nameClient } from "../../matchmaker/client-ranges.ts";
import type { PlayerView } from "../../matchmaker/commands.ts";
import { showKey } from "../../matchmaker/seat-keys.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { readExit } from "../live/exit-details.ts";
import { listExits, readOneExit } from "../live/exits.ts";
import type { Moment } from "../live/timelines.ts";
import { toKeyReply } from "../matchmaking/key-reply.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { toLobbyReply, toTimestampOrNull } from "./lobby-reply.ts";
import { lookUpNamespace, quoted } from "./lookup.ts";
import { cutPage, fittingCount, isUuid, parsePage, toTimestamp, writeCursor } from "./pagination.ts";

/** The operator's view of the lobbies of a namespace. */
export function namespaceLobbyOperations(context: Context) {
  const { db, engine } = context;

  return {
    "games.namespaces.lobbies.list": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const { lobbies } = await engine.read({
        type: "listAllLobbies",
        namespaceId: namespace.namespaceId,
        now: context.now(),
        includeStopped: query.include_stopped ?? false,
        ...(query.player_key !== undefined && { playerKey: query.player_key }),
        ...page,
      });
      const { rows, more } = cutPage(lobbies, page, (lobby) => lobby.lobbyId);
      const exits = await listExits(context, namespace.namespaceId, rows);
      await context.showLobby.learn(namespace.namespaceId, rows);
      const answers = rows.map((lobby) => toLobbyReply(lobby, context.showLobby, exits.get(lobby.lobbyId)));
      const count = fittingCount(answers);
      const rest = count < rows.length ? { cursor: writeCursor(rows[count - 1]!.lobbyId) } : more;
      return { lobbies: answers.slice(0, count), held_back: listHeldBack(context, namespace.versionId), ...rest };
    },

    "games.namespaces.lobbies.get": async ({ params }) => {
      const found = await lookUpLobby(context, params);
      if (isRefusal(found)) return found;
      const { namespaceId, lobby } = found;
      const query = { type: "players", namespaceId, lobbyId: lobby.lobbyId, now: context.now() } as const;
      const players = await engine.read(query);
      await context.liveEvents.caughtUp(namespaceId);
      await context.showLobby.learn(namespaceId, [lobby]);
      const timeline = context.liveEvents.timelines.of(lobby).map(toMomentReply);
      return {
        lobby: {
          ...toLobbyReply(lobby, context.showLobby, await readOneExit(context, namespaceId, lobby)),
          ...seatCounts(players),
          state: lobby.state === null ? null : JSON.parse(lobby.state),
          log_tail: readExit(lobby)?.log ?? null,
          players: players.map(toPlayerReply),
          timeline,
        },
      };
    },

    "games.namespaces.lobbies.setClosed": async ({ params, body }) => {
      const found = await lookUpLobby(context, params);
      if (isRefusal(found)) return found;
      const { namespaceId, lobby } = found;
      const { lobbyId } = lobby;
      const now = context.now();
      const command = { type: "setOperatorClosed", namespaceId, lobbyId, now, isClosed: body.is_closed } as const;
      const outcome = await engine.execute(command);
      return outcome.ok ? null : lobbyNotFound(params.lobby_id);
    },

    "games.namespaces.lobbies.stop": async ({ params }) => {
      const found = await lookUpLobby(context, params);
      if (isRefusal(found)) return found;
      const { namespaceId, lobby } = found;
      const command = { namespaceId, lobbyId: lobby.lobbyId, now: context.now(), exit: null };
      // A lobby that has stopped by itself meanwhile is no error.
      await engine.execute({ type: "stopLobby", reason: "operator", ...command });
      return null;
    },
  } satisfies Partial<Handlers>;
}

/** The lobby that a path names. */
async function lookUpLobby(
  { db, engine, now }: Context,
  params: { readonly game_id: string; readonly namespace_id: string; readonly lobby_id: string },
) {
  const namespace = await lookUpNamespace(db, params);
  if (isRefusal(namespace)) return namespace;
  const { namespaceId } = namespace;
  const lobbyId = params.lobby_id.toLowerCase();
  const query = { type: "lobby", namespaceId, lobbyId, now: now() } as const;
  const lobby = isUuid(lobbyId) ? await engine.read(query) : null;
  if (!lobby) return lobbyNotFound(params.lobby_id);
  return { namespaceId, lobby };
}

/** The game modes of the deployed version whose lobbies keep failing. */
function listHeldBack({ gate, now }: Context, deployedVersionId: string | null) {
  const held = gate.all(now()).filter(({ versionId }) => versionId === deployedVersionId);
  return held.map(({ versionId, gameMode, consecutiveFailures, nextTryAt, message }) => ({
    version_id: versionId,
    game_mode_id: gameMode,
    consecutive_failures: consecutiveFailures,
    next_try_ts: toTimestamp(nextTryAt),
    message,
  }));
}

function lobbyNotFound(reference: string) {
  return refuse("CLOUD_LOBBY_NOT_FOUND", `The namespace has no lobby ${quoted(reference)}, or it has stopped.`);
}

/** Counted from the players in the same answer, who were read a moment after the lobby. */
function seatCounts(players: readonly PlayerView[]) {
  const count = (wanted: string) => players.filter(({ status }) => status === wanted).length;
  return {
    reserved_count: count("reserved"),
    connected_count: count("connected"),
    held_count: count("held"),
    total_player_count: players.length,
  };
}

function toPlayerReply(player: PlayerView) {
  return {
    player_id: player.playerId,
    status: player.status,
    client: nameClient(player.clientId),
    ...toKeyReply(showKey(player)),
    reserve_ts: toTimestamp(player.reservedAt),
    connect_ts: toTimestampOrNull(player.connectedAt),
    expires_ts: toTimestampOrNull(player.expiresAt),
  };
}

function toMomentReply({ at, event, details }: Moment) {
  return { at: toTimestamp(at), event, ...(details && { details: { ...details } }) };
}
