import type { LobbyView, Pair } from "../matchmaker/commands.ts";
import { type Context, type Refusal, refuse } from "./context.ts";

type StartFailed = Refusal<"MATCHMAKER_LOBBY_START_FAILED">;

/** Why no lobby of this pair can be started now; null: one can. Asked before a lobby is made, so that none is made in vain. */
export function startRefusal(context: Context, versionId: string, pair: Pair): StartFailed | null {
  const { runtime, gate, nodes } = context;
  const { gameMode } = pair;
  if (!runtime && nodes.ownId === null) {
    const message = `The game mode ${gameMode} has the process runtime, and this service has no driver that starts processes.`;
    return refuse("MATCHMAKER_LOBBY_START_FAILED", message);
  }
  const held = gate.heldBack(versionId, gameMode, context.now());
  if (held) {
    const { message, consecutiveFailures, retryAfterS } = held;
    const metadata = { consecutive_failures: consecutiveFailures };
    return refuse("MATCHMAKER_LOBBY_START_FAILED", message, { metadata, retryAfterS });
  }
  return nodes.ownId === null ? refuseMachine(context) : refuseNodes(context, pair);
}

function refuseMachine({ runtime, config }: Context): StartFailed | null {
  if (runtime === null || runtime.room() > 0) return null;
  const message = `As many lobbies run on this machine as may: ${config.maxLobbyProcesses}. FOYER_MAX_LOBBY_PROCESSES allows more.`;
  return refuse("MATCHMAKER_LOBBY_START_FAILED", message, { retryAfterS: 5 });
}

/** What each node said of itself a moment ago; whoever places the lobby then counts exactly. */
function refuseNodes({ nodes }: Context, { gameMode, region }: Pair): StartFailed | null {
  const serving = nodes.all().filter((node) => node.isAlive && (node.regions?.includes(region) ?? true));
  if (serving.some((node) => node.room > 0)) return null;
  const message =
    serving.length === 0
      ? `No node that is up runs lobbies of the region ${region}; FOYER_NODE_REGIONS says which a node runs.`
      : `No node of the region ${region} has room for a lobby of the game mode ${gameMode}. FOYER_MAX_LOBBY_PROCESSES of a node allows more.`;
  return refuse("MATCHMAKER_LOBBY_START_FAILED", message, { retryAfterS: 5 });
}

/** The lobby that somebody waited for has ended. `lobby` is as it was then; null: nothing of it is left. */
export function startFailed({ gate, now }: Context, lobbyId: string, lobby: LobbyView | null): StartFailed {
  const exit = exitOf(lobby);
  const held = lobby && gate.heldBack(lobby.versionId, lobby.gameMode, now());
  const how = lobby?.readyAt == null ? "ended before it was ready" : "has ended";
  const message = `Lobby ${lobbyId} ${how}. ${exit?.message ?? ""}`.trimEnd();
  const metadata = {
    lobby_id: lobbyId,
    ...(exit?.code != null && { exit_code: exit.code }),
    ...(exit?.signal != null && { signal: exit.signal }),
    ...(held && { consecutive_failures: held.consecutiveFailures }),
  };
  return refuse("MATCHMAKER_LOBBY_START_FAILED", message, { metadata, retryAfterS: held?.retryAfterS ?? 1 });
}

/** How the lobby's process ended, as far as anybody knows. */
export interface ExitDetails {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message?: string;
  /** What it wrote last; for the operator alone. */
  readonly log?: string;
}

export function exitOf(lobby: LobbyView | null): ExitDetails | null {
  // Border: the text was written by the supervisor.
  return lobby === null || lobby.exit === null ? null : (JSON.parse(lobby.exit) as ExitDetails);
}
