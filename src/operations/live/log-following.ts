import { createSharedPlaces, type PlaceOwner } from "../../ground/shares.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { LogStream } from "../../runtime/runtime.ts";
import { findPastLobby } from "../../store/lobby-history.ts";
import { lookUpNamespace } from "../cloud/lookup.ts";
import type { Context } from "../context.ts";
import type { EventStream } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { exitOfOne } from "./exits.ts";
import { openLogReader } from "./log-reader.ts";
import type { ServedLobby } from "./remote-runtime.ts";

/** Logs that are read while they are written. */
export function createLogFollowing(context: Context) {
  const { db, config, engine, lobbyServers, now } = context;
  /** Each one looks at a file four times a second. */
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
          "As many logs are being followed as the service keeps up, or as this namespace or token has a share of. End one, or try again later.";
        return refuse("API_UNAVAILABLE", message, { retryAfterS: 10 });
      }
      try {
        const source = {
          stream,
          piece: (from: number, maxBytes: number) => lobbyServers.logPiece(served(), stream, from, maxBytes),
          async end() {
            if (await lobbyServers.isRunning(served())) return null;
            const found = await engine.read({ type: "lobby", namespaceId, lobbyId: lobby.lobbyId, now: now() });
            // It may have been placed meanwhile, or forgotten; the history does not know where it ran, but we do.
            if (found) nodeId = found.nodeId;
            const end = await lobbyEnd(context, namespaceId, lobby.lobbyId, found);
            // Only a deleted namespace takes its history along.
            return end === "unknown" ? endData("namespace_removed", null) : end;
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
      } catch (fault) {
        place.leave(now());
        throw fault;
      }
    },
  };
}

/**
 * How a lobby ended, for those who read its log; null: it lives. Stopped lobbies are remembered for a while by the
 * matchmaker and for long by the history.
 */
async function lobbyEnd(context: Context, namespaceId: string, lobbyId: string, lobby: LobbyView | null) {
  if (lobby?.status === "stopped") {
    return endData(lobby.stopReason ?? "", await exitOfOne(context, namespaceId, lobby));
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

function endData(stopReason: string, exit: Exit | null) {
  return {
    stop_reason: stopReason,
    exit_code: exit?.code ?? null,
    exit_signal: exit?.signal ?? null,
    exit_message: exit?.message ?? null,
  };
}
