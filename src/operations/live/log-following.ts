import { createSharedPlaces, type PlaceOwner } from "../../ground/shares.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { LogStream } from "../../runtime/runtime.ts";
import { findPastLobby } from "../../store/lobby-history.ts";
import { lookUpNamespace } from "../cloud/lookup.ts";
import type { Context } from "../context.ts";
import type { EventStream } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { readOneExit } from "./exits.ts";
import { openLogReader } from "./log-reader.ts";
import type { ServedLobby } from "./remote-runtime.ts";
import { describeStop } from "./stop-message.ts";

/** Logs that are read while they are written. */
export function createLogFollowing(context: Context) {
  const { db, config, engine, lobbyServers, now } = context;
  /** Each one reads a file four times a second. */
  const places = createSharedPlaces(config.maxLogFollowers);

  return {
    async open(
      params: { game_id: string; namespace_id: string },
      owner: PlaceOwner,
      lobby: ServedLobby,
      stream: LogStream,
      lastEventId: string | undefined,
    ): Promise<EventStream | Refusal<"API_UNAVAILABLE">> {
      const { namespaceId } = owner;
      let { nodeId } = lobby;
      const served = () => ({ lobbyId: lobby.lobbyId, nodeId });
      const place = places.take(owner, now());
      if (place === null) {
        const message =
          "The service has reached its maximum of followed logs, or this namespace or token its share. Close one, or try again later.";
        return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
      }
      try {
        const source = {
          stream,
          piece: (from: number, maxBytes: number) => lobbyServers.logPiece(served(), stream, from, maxBytes),
          async end() {
            if (await lobbyServers.isRunning(served())) return null;
            const found = await engine.read({ type: "lobby", namespaceId, lobbyId: lobby.lobbyId, now: now() });
            // It may have been assigned meanwhile, or removed from the engine; the history does not have its node, but
            // this stream does.
            if (found) nodeId = found.nodeId;
            const end = await lobbyEnd(context, namespaceId, lobby.lobbyId, found);
            // Only deleting a namespace deletes its history.
            return end === "unknown" ? endData("namespace_removed", namespaceRemoved) : end;
          },
        };
        const reader = await openLogReader(source, lastEventId);
        return {
          reader: {
            ...reader,
            close() {
              place.leave(now());
              reader.close();
            },
          },
          async isOver() {
            const found = await lookUpNamespace(db, params);
            return isRefusal(found) || found.namespaceId !== namespaceId;
          },
        };
      } catch (error) {
        place.leave(now());
        throw error;
      }
    },
  };
}

/**
 * How a lobby ended, for readers of its log; null: it is alive. The engine keeps stopped lobbies for a while, the
 * history for long.
 */
async function lobbyEnd(context: Context, namespaceId: string, lobbyId: string, lobby: LobbyView | null) {
  if (lobby?.status === "stopped") {
    const exit = await readOneExit(context, namespaceId, lobby);
    return endData(lobby.stopReason ?? "", exit ?? { code: null, signal: null, message: describeStop(lobby) });
  }
  if (lobby) return null;
  const past = await findPastLobby(context.db, namespaceId, lobbyId);
  if (!past) return "unknown";
  const { exitCode: code, exitSignal: signal, exitMessage: message } = past;
  return endData(past.stopReason, { code, signal, message });
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message?: string | null;
}

/** Nothing is left of the lobby; the same words as while it is remembered. */
const namespaceRemoved: Exit = { code: null, signal: null, message: "Its namespace was deleted." };

function endData(stopReason: string, exit: Exit) {
  return {
    stop_reason: stopReason,
    exit_code: exit.code,
    exit_signal: exit.signal,
    exit_message: exit.message ?? null,
  };
}
