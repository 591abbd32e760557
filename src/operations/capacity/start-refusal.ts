import type { LobbyView, Pair } from "../../matchmaker/commands.ts";
import { servesRegion } from "../../nodes/node-places.ts";
import type { Context } from "../context.ts";
import { type Refusal, refuse } from "../refusal.ts";

type StartFailed = Refusal<"MATCHMAKER_LOBBY_START_FAILED">;

/** Why no lobby of a pair can be started now. */
export interface StartObstacle {
  /** For players: what it means for them. */
  readonly refusal: StartFailed;
  /** For the operator: what stands in the way, and what helps. Null: the operator's list of lobbies says it. */
  readonly detail: string | null;
  /** There is no room; some of it may only be held by requests that turn out not to need it. */
  readonly isShortage: boolean;
}

/** Null: one can be started. Asked before a lobby is made, so that none is made in vain. */
export function startObstacle(
  context: Context,
  namespaceId: string,
  versionId: string,
  pair: Pair,
): StartObstacle | null {
  const { runtime, gate, nodes, slots } = context;
  const { gameMode, region } = pair;
  if (!runtime && nodes.ownId === null) {
    const refusal = refuse(
      "MATCHMAKER_LOBBY_START_FAILED",
      `No lobby of the game mode ${gameMode} can be started here.`,
    );
    const detail = `The game mode ${gameMode} has the process runtime, and FOYER_RUNTIMES leaves that out.`;
    return { refusal, detail, isShortage: false };
  }
  const held = gate.heldBack(versionId, gameMode, context.now());
  if (held) {
    const { consecutiveFailures, retryAfterS } = held;
    const times = consecutiveFailures === 1 ? "once" : `${consecutiveFailures} times in a row`;
    const message = `Lobbies of the game mode ${gameMode} failed ${times}, so none is started just now. The next try is in ${retryAfterS} s.`;
    const metadata = { consecutive_failures: consecutiveFailures };
    const refusal = refuse("MATCHMAKER_LOBBY_START_FAILED", message, { metadata, retryAfterS });
    return { refusal, detail: null, isShortage: false };
  }
  if (slots.hasRoom(region, namespaceId)) return null;
  const message = `There is no room for another lobby of the game mode ${gameMode} just now. Try again shortly.`;
  const refusal = refuse("MATCHMAKER_LOBBY_START_FAILED", message, { retryAfterS: 5 });
  return { refusal, detail: shortageOf(context, namespaceId, region), isShortage: true };
}

function shortageOf({ config, nodes, slots }: Context, namespaceId: string, region: string): string {
  if (slots.hasFreeSlot(region)) {
    return `The namespace ${namespaceId} has its share of the lobby processes of the region ${region}, and other namespaces want some too. FOYER_MAX_LOBBY_PROCESSES allows more.`;
  }
  if (nodes.ownId === null) {
    return `As many lobbies run on this machine as may: ${config.maxLobbyProcesses}. FOYER_MAX_LOBBY_PROCESSES allows more.`;
  }
  const isServed = nodes.all().some((node) => node.isAlive && servesRegion(node, region));
  return isServed
    ? `No node of the region ${region} has room for another lobby. FOYER_MAX_LOBBY_PROCESSES of a node allows more.`
    : `No node that is up runs lobbies of the region ${region}; FOYER_NODE_REGIONS says which a node runs.`;
}

/** The lobby that somebody waited for has ended. `lobby` is as it was then; null: nothing of it is left. */
export function startFailed({ gate, now }: Context, lobbyId: string, lobby: LobbyView | null): StartFailed {
  const held = lobby && gate.heldBack(lobby.versionId, lobby.gameMode, now());
  const how = lobby?.readyAt == null ? "ended before it was ready" : "has ended";
  // How its server ended is the operator's business, who finds it by the lobby's id.
  const metadata = { lobby_id: lobbyId, ...(held && { consecutive_failures: held.consecutiveFailures }) };
  const retryAfterS = held?.retryAfterS ?? 1;
  return refuse("MATCHMAKER_LOBBY_START_FAILED", `Lobby ${lobbyId} ${how}. Try again.`, { metadata, retryAfterS });
}
