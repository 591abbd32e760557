import { nodeTagOf } from "../../ground/tokens.ts";
import type { CommandOf, LobbyView, Outcome, RefusalCode } from "../../matchmaker/commands.ts";
import type { CallerOf } from "../callers.ts";
import { quoted } from "../cloud/lookup.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { toKeyReply } from "./key-reply.ts";

type LobbyCommandType = "setReady" | "setClosed" | "setState" | "heartbeat" | "stopLobby";

/** What lobbies say about themselves. */
export function lobbyCallOperations(context: Context) {
  const { engine } = context;

  async function execute<T extends LobbyCommandType>(command: CommandOf<T>) {
    const outcome: Outcome<T> = await engine.execute(command);
    return outcome.ok ? outcome : lobbyRefusal(outcome.code);
  }

  return {
    "lobbies.ready": async ({ caller }) => {
      const { namespaceId, lobbyId } = caller;
      const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: context.now() });
      const moved = lobby && checkNode(lobby, caller);
      if (moved) return moved;
      // Where not all ports are known to accept, the node that runs the lobby tries them until they do.
      const isWaiting = lobby !== null && !lobby.isExternal && !(await doPortsAccept(context, lobbyId));
      const waits = isWaiting && { waitsFor: lobby.waitsFor ?? "its ports" };
      const by = lobby !== null && lobby.nodeId !== null && { nodeId: lobby.nodeId };
      const at = { namespaceId, lobbyId, now: context.now() };
      return emptied(await execute<"setReady">({ type: "setReady", ...at, ...by, ...waits }));
    },

    "lobbies.setClosed": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const now = context.now();
      return emptied(
        await execute<"setClosed">({ type: "setClosed", namespaceId, lobbyId, now, isClosed: body.is_closed }),
      );
    },

    "lobbies.setState": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const state = body === undefined || body === null ? null : JSON.stringify(body);
      return emptied(await execute<"setState">({ type: "setState", namespaceId, lobbyId, now: context.now(), state }));
    },

    "lobbies.getState": async ({ caller, params }) => {
      const { namespaceId } = caller;
      const now = context.now();
      const ended = endedRefusal(await engine.read({ type: "lobby", namespaceId, now, lobbyId: caller.lobbyId }));
      if (ended) return ended;
      const lobby = await engine.read({ type: "lobby", namespaceId, now, lobbyId: params.lobby_id.toLowerCase() });
      if (!lobby) {
        return refuse("MATCHMAKER_LOBBY_NOT_FOUND", `The namespace has no lobby ${quoted(params.lobby_id)}.`);
      }
      if (lobby.status === "stopped") return refuse("MATCHMAKER_LOBBY_STOPPED", "The lobby has stopped.");
      return lobby.state === null ? null : JSON.parse(lobby.state);
    },

    "lobbies.heartbeat": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const playerIds = body?.player_ids?.map((id) => id.toLowerCase()) ?? null;
      const isClosed = body?.is_closed ?? null;
      const now = context.now();
      const outcome = await execute<"heartbeat">({ type: "heartbeat", namespaceId, lobbyId, now, playerIds, isClosed });
      if (isRefusal(outcome)) return outcome;
      return {
        player_ids: outcome.players.filter(({ isHeld }) => !isHeld).map(({ playerId }) => playerId),
        players: outcome.players.map((player) => ({
          player_id: player.playerId,
          ...toKeyReply(player),
          is_held: player.isHeld,
        })),
        is_closed: outcome.isClosed,
        is_closed_by_operator: outcome.isClosedByOperator,
        is_outdated: outcome.isOutdated,
        heartbeat_s: outcome.heartbeatMs / 1000,
        reconnect_s: outcome.reconnectMs / 1000,
      };
    },

    "lobbies.stop": async ({ caller }) => {
      const { namespaceId, lobbyId } = caller;
      const now = context.now();
      const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now });
      const moved = lobby && checkNode(lobby, caller);
      if (moved) return moved;
      return emptied(
        await execute<"stopLobby">({ type: "stopLobby", namespaceId, lobbyId, now, reason: "self", exit: null }),
      );
    },
  } satisfies Partial<Handlers>;
}

/**
 * A refusal when another node has started a server for the lobby since, because the one of this server was down: it
 * neither makes the lobby ready nor ends it.
 */
function checkNode({ nodeId }: LobbyView, { nodeTag }: CallerOf<"lobby">) {
  const isElsewhere = nodeTag !== undefined && nodeId !== null && nodeTagOf(nodeId) !== nodeTag;
  return isElsewhere ? lobbyRefusal("ALREADY_PLACED") : null;
}

/** False also where the lobby's server does not run on this node, or has only just been started. */
async function doPortsAccept({ runtime }: Context, lobbyId: string): Promise<boolean> {
  const unanswered = await runtime?.unansweredPorts(lobbyId);
  return unanswered?.length === 0;
}

/** Of a call whose only success is 204. */
function emptied<R>(answer: R): Extract<R, Refusal> | null {
  return isRefusal(answer) ? (answer as Extract<R, Refusal>) : null;
}

/** For ten minutes an ended lobby gets that answer; after that its token is invalid. */
export function lobbyRefusal(code: RefusalCode) {
  if (code === "LOBBY_STOPPED") return refuse("MATCHMAKER_LOBBY_STOPPED", "This lobby has stopped.");
  if (code === "ALREADY_PLACED") return refuse("MATCHMAKER_LOBBY_STOPPED", "Another node runs this lobby now.");
  if (code === "LOBBY_NOT_FOUND")
    return refuse("TOKEN_INVALID", "The lobby token is not valid, or its lobby has ended.");
  throw new Error(`the rules answered ${code}, which is no answer to a lobby's call`);
}

/**
 * A refusal when the lobby of an authentic token no longer exists. A stopped lobby gets its answer from the call
 * itself.
 */
export async function checkLobby({ engine, now }: Context, { namespaceId, lobbyId }: CallerOf<"lobby">) {
  const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
  return lobby ? null : lobbyRefusal("LOBBY_NOT_FOUND");
}

export function endedRefusal(lobby: LobbyView | null) {
  if (!lobby) return lobbyRefusal("LOBBY_NOT_FOUND");
  return lobby.status === "stopped" ? lobbyRefusal("LOBBY_STOPPED") : null;
}
