import type { RefusalCode } from "../../matchmaker/commands.ts";
import type { CallerOf } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { toKeyReply } from "./key-reply.ts";
import { endedRefusal, lobbyRefusal } from "./lobby.ts";

interface ModeCount {
  player_count: number;
  regions: Record<string, { player_count: number }>;
}

export function playerOperations(context: Context) {
  const { engine } = context;

  /** The player of a token, if it is one of the calling lobby's. */
  async function findPlayer({ namespaceId, lobbyId }: CallerOf<"lobby">, playerToken: string) {
    const player = context.tokens.read(playerToken);
    const isOurs = player?.kind === "player" && player.namespaceId === namespaceId;
    if (isOurs && player.lobbyId === lobbyId) return player;
    const ended = endedRefusal(await engine.read({ type: "lobby", namespaceId, lobbyId, now: context.now() }));
    if (ended) return ended;
    if (!isOurs) return refuse("MATCHMAKER_PLAYER_NOT_FOUND", "The player token is not one of this namespace.");
    return refuse("MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY", "The player's seat is in another lobby. Nothing changed.");
  }

  return {
    "players.connected": async ({ caller, body }) => {
      const player = await findPlayer(caller, body.player_token);
      if (isRefusal(player)) return player;
      const { namespaceId, lobbyId } = caller;
      const { playerId } = player;
      const now = context.now();
      const outcome = await engine.execute({ type: "connectPlayer", namespaceId, lobbyId, playerId, now });
      if (!outcome.ok) return connectRefusal(outcome.code);
      return { player_id: playerId, returned: outcome.isReturn, ...toKeyReply(outcome) };
    },

    "players.disconnected": async ({ caller, body }) => {
      const player = await findPlayer(caller, body.player_token);
      if (isRefusal(player)) return player;
      const { namespaceId, lobbyId } = caller;
      const { playerId } = player;
      const now = context.now();
      const mayReturn = body.may_return ?? false;
      const command = { type: "disconnectPlayer", namespaceId, lobbyId, playerId, now, mayReturn } as const;
      const outcome = await engine.execute(command);
      // A player who left long ago is no error.
      return outcome.ok || outcome.code === "PLAYER_REMOVED" ? null : lobbyRefusal(outcome.code);
    },

    "players.getStatistics": async ({ caller }) => {
      const { namespaceId } = caller;
      const { playerCount, pairs } = await engine.read({ type: "statistics", namespaceId, now: context.now() });
      // Without a prototype: `constructor` is a name like any other.
      const modes: Record<string, ModeCount> = Object.create(null);
      for (const { gameMode, region, playerCount: count } of pairs) {
        modes[gameMode] ??= { player_count: 0, regions: Object.create(null) };
        modes[gameMode].player_count += count;
        modes[gameMode].regions[region] = { player_count: count };
      }
      return { player_count: playerCount, game_modes: modes };
    },
  } satisfies Partial<Handlers>;
}

function connectRefusal(code: RefusalCode) {
  switch (code) {
    case "PLAYER_ALREADY_CONNECTED":
      return refuse("MATCHMAKER_PLAYER_ALREADY_CONNECTED", "The player token was used already.");
    case "PLAYER_RESERVATION_EXPIRED":
      return refuse("MATCHMAKER_PLAYER_RESERVATION_EXPIRED", "The player came too late: the reservation has expired.");
    case "PLAYER_REMOVED":
      return refuse("MATCHMAKER_PLAYER_REMOVED", "The player has left already.");
    default:
      return lobbyRefusal(code);
  }
}
