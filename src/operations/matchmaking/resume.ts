import type { PlayerView } from "../../matchmaker/commands.ts";
import type { CallerOf } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { isReachable } from "./lobby-waiters.ts";
import { replySeated } from "./seat-reply.ts";

type OwnCaller = CallerOf<"pub" | "origin" | "server">;

/** What a player may do with its own seat, by its token: find its lobby again, or give the seat up. */
export function resumeOperations(context: Context) {
  const { engine } = context;

  return {
    "players.resume": async ({ caller, body, client, whenGone }) => {
      const { namespaceId } = caller;
      const player = findOwnPlayer(context, caller, body.player_token);
      if (isRefusal(player)) return player;
      const { playerId } = player;
      const readSeat = () => engine.read({ type: "seat", namespaceId, playerId, now: context.now() });
      const seat = await readSeat();
      if (!isTaken(seat?.player)) return refuseEnded(context, player, seat?.player ?? null);
      // The seat was there before this call, so this call does not release it.
      const asked = {
        namespaceId,
        client: caller.kind === "server" ? null : client,
        whenGone,
        idempotency: keepsSeats,
      };
      const reply = await replySeated(context, asked, { lobby: seat!.lobby, playerIds: [playerId] });
      if (isReachable(seat!.lobby) || isRefusal(reply)) return reply;
      // The call that took the seat may have given up while this one waited.
      const later = await readSeat();
      return isTaken(later?.player) ? reply : refuseEnded(context, player, later?.player ?? null);
    },

    "players.release": async ({ caller, body }) => {
      const player = findOwnPlayer(context, caller, body.player_token);
      if (isRefusal(player)) return player;
      const { namespaceId, playerId } = player;
      const outcome = await engine.execute({ type: "releasePlayer", namespaceId, playerId, now: context.now() });
      if (outcome.ok) return null;
      const message = "The player is connected. It leaves when its lobby reports that it left.";
      return refuse("MATCHMAKER_PLAYER_ALREADY_CONNECTED", message);
    },
  } satisfies Partial<Handlers>;
}

/** As a call with an idempotency key has it. */
const keepsSeats = {};

function findOwnPlayer({ tokens }: Context, { namespaceId }: OwnCaller, playerToken: string) {
  const player = tokens.read(playerToken);
  if (player?.kind === "player" && player.namespaceId === namespaceId) return player;
  return refuse("MATCHMAKER_PLAYER_NOT_FOUND", "The player token is not one of this namespace.");
}

function isTaken(player: PlayerView | undefined): boolean {
  return player !== undefined && ["reserved", "connected", "held"].includes(player.status);
}

/** How the seat ended, as far as it is remembered; the token still names its lobby. */
async function refuseEnded(
  { engine, now }: Context,
  { namespaceId, lobbyId }: { readonly namespaceId: string; readonly lobbyId: string },
  player: PlayerView | null,
) {
  if (player?.status === "expired")
    return refuse("MATCHMAKER_PLAYER_RESERVATION_EXPIRED", "The reservation has expired. Find a lobby again.");
  const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
  if (lobby?.status === "stopped") return refuse("MATCHMAKER_LOBBY_STOPPED", "The lobby of this player has stopped.");
  return refuse("MATCHMAKER_PLAYER_REMOVED", "The seat of this player has ended. Find a lobby again.");
}
