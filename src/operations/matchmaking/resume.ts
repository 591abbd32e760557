import type { PlayerView } from "../../matchmaker/commands.ts";
import type { CallerOf } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { isReachable } from "./lobby-waiters.ts";
import { replySeated } from "./seat-reply.ts";

type OwnCaller = CallerOf<"pub" | "origin" | "server">;

/** What a player may do with its own seat: find its lobby again, or give the seat up. A backend may for its players. */
export function resumeOperations(context: Context) {
  const { engine } = context;

  return {
    "players.resume": async ({ caller, body, client, whenGone }) => {
      const { namespaceId } = caller;
      const player = await findOwnPlayer(context, caller, body);
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
      const player = await findOwnPlayer(context, caller, body);
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

interface OwnSeatBody {
  readonly player_token?: string | null;
  readonly key?: string | null;
}

/** The token of a request for one's own seat. A refusal when it has none, or a key from a caller that is no backend. */
export function readPlayerToken({ player_token = null, key = null }: OwnSeatBody) {
  if (player_token !== null && key === null) return player_token;
  if (player_token === null && key !== null) {
    return refuse("MATCHMAKER_KEY_NOT_VOUCHED", "Only a server token may name a player by its key.");
  }
  const path = [player_token === null ? "player_token" : "key"];
  return refuse("API_BAD_BODY", "Pass either player_token or key, exactly one of them.", {
    errors: [{ path, message: "exactly one of player_token and key is required" }],
  });
}

async function findOwnPlayer(context: Context, { kind, namespaceId }: OwnCaller, body: OwnSeatBody) {
  const { key = null, player_token = null } = body;
  if (kind === "server" && key !== null && player_token === null) return findPlayerByKey(context, namespaceId, key);
  const token = readPlayerToken(body);
  if (isRefusal(token)) return token;
  const player = context.tokens.read(token);
  if (player?.kind === "player" && player.namespaceId === namespaceId) return player;
  return refuse("MATCHMAKER_PLAYER_NOT_FOUND", "The player token is not one of this namespace.");
}

async function findPlayerByKey({ engine, now }: Context, namespaceId: string, key: string) {
  const seat = await engine.read({ type: "seatByKey", namespaceId, key, now: now() });
  if (!seat) return refuse("MATCHMAKER_PLAYER_NOT_FOUND", "No player with this key has a seat.");
  return { namespaceId, lobbyId: seat.lobby.lobbyId, playerId: seat.player.playerId };
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
