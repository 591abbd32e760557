import { StoreUnavailable } from "../../ground/unavailable.ts";
import type { Refusal as EngineRefusal, LobbyView, RefusalCode, Seated } from "../../matchmaker/commands.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";
import { isReachable } from "./lobby-waiters.ts";
import type { SeatRequest } from "./seat-request.ts";

/** What waiting for a lobby needs of the request. */
type Waiting = Pick<SeatRequest, "namespaceId" | "client" | "whenGone"> & {
  /** Null: when the call gives up, its seats are released. */
  readonly idempotency: object | null;
};

/** Waits for the lobby if it is still starting, then answers where it is and with which tokens. */
export function replySeated(context: Context, asked: Waiting, seated: Pick<Seated, "lobby" | "playerIds">) {
  const { lobby, playerIds } = seated;
  if (isReachable(lobby)) return toJoinReply(context, asked.namespaceId, lobby, playerIds);
  return replyWhenReady(context, asked, seated);
}

async function replyWhenReady(
  context: Context,
  asked: Waiting,
  { lobby, playerIds }: Pick<Seated, "lobby" | "playerIds">,
) {
  const { namespaceId } = asked;
  const startedAt = context.now();
  const dueAt = lobby.createdAt + lobby.readyMs;
  const waited = await context.waiting.untilReady(namespaceId, lobby.lobbyId, asked.whenGone, dueAt);
  if (waited.end === "ready") context.activity.countWait(namespaceId, context.now() - startedAt);
  const blocked = await blockedMeanwhile(context, asked);
  if (waited.end === "ready" && !blocked) return toJoinReply(context, namespaceId, waited.lobby, playerIds);
  if (waited.end === "stopped") return startFailed(context, lobby.lobbyId, waited.lobby);
  if (asked.idempotency === null) {
    await context.engine.execute({ type: "releaseSeats", namespaceId, now: context.now(), playerIds });
  }
  if (blocked) return blocked;
  const retryAfterS = waited.end === "stopping" ? 1 : 5;
  const message = `Lobby ${lobby.lobbyId} is not ready yet. Try again shortly.`;
  return refuse("MATCHMAKER_LOBBY_NOT_READY", message, { retryAfterS });
}

/** The lobby that the caller waited for has ended. `lobby` is as it was then; null: nothing of it is left. */
function startFailed({ gate, now }: Context, lobbyId: string, lobby: LobbyView | null) {
  const held = lobby && gate.heldBack(lobby.versionId, lobby.gameMode, now());
  const how = lobby?.readyAt == null ? "ended before it was ready" : "has ended";
  // How its server ended is for the operator, who finds it by the lobby's id.
  const metadata = { lobby_id: lobbyId, ...(held && { consecutive_failures: held.consecutiveFailures }) };
  const retryAfterS = held?.retryAfterS ?? 1;
  const message = `Lobby ${lobbyId} ${how}. foyer logs ${lobbyId.slice(-8)} shows what it wrote, foyer status why it ended.`;
  return refuse("MATCHMAKER_LOBBY_START_FAILED", message, { metadata, retryAfterS });
}

/** The operator may have blocked the client while it waited. */
async function blockedMeanwhile(context: Context, { namespaceId, client }: Waiting) {
  const config = await context.configs.get(namespaceId);
  return config && refuseBlocked(config, client, context.now());
}

/** Without a promise, since nearly every find is answered with a lobby of the deployed version. */
function toJoinReply(context: Context, namespaceId: string, lobby: LobbyView, playerIds: readonly string[]) {
  const displayName = deployedRegionName(context, namespaceId, lobby);
  if (displayName !== null) return makeJoinReply(context, namespaceId, lobby, playerIds, displayName);
  return regionName(context, namespaceId, lobby).then((name) =>
    makeJoinReply(context, namespaceId, lobby, playerIds, name),
  );
}

function makeJoinReply(
  context: Context,
  namespaceId: string,
  lobby: LobbyView,
  playerIds: readonly string[],
  displayName: string,
) {
  const players = playerIds.map((playerId) => ({
    player_id: playerId,
    token: context.tokens.make({ kind: "player", namespaceId, lobbyId: lobby.lobbyId, playerId }),
  }));
  const player = { token: players[0]!.token };
  const ports = context.showPorts(lobby);
  const region = { region_id: lobby.region, display_name: displayName };
  const joined = { lobby_id: lobby.lobbyId, region, ports, player };
  const { code } = lobby;
  return { lobby: code === null ? joined : { ...joined, code }, ports, player, players };
}

/** Null: ask `regionName`. */
function deployedRegionName({ configs }: Context, namespaceId: string, { region, versionId }: LobbyView) {
  const deployed = configs.peek(namespaceId)?.version;
  return deployed?.versionId === versionId ? (deployed.config.regions[region]?.display_name ?? null) : null;
}

/**
 * The name from the lobby's version. The seat is taken, so an unavailable store must not fail the call: then the id is
 * the name.
 */
async function regionName({ configs }: Context, namespaceId: string, { region, versionId }: LobbyView) {
  try {
    const config = await configs.get(namespaceId);
    const deployed = config?.version ?? null;
    const isDeployed = deployed?.versionId === versionId;
    const version = isDeployed ? deployed : config && (await configs.version(config.gameId, versionId));
    return version?.config.regions[region]?.display_name ?? region;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return region;
  }
}

/** What it means for a player. What an operator could do about it is in the reference. */
const seatMessages = {
  NO_AVAILABLE_LOBBIES: "No lobby fits, and none may be created for this request.",
  LOBBY_NOT_FOUND: "There is no such lobby in this namespace.",
  LOBBY_STOPPED: "The lobby has stopped.",
  LOBBY_FULL: "The lobby has not enough free seats.",
  JOIN_DISABLED: "The lobby's game mode does not allow join.",
  TOO_MANY_LOBBIES: "The namespace has reached its maximum of lobbies. Try again when one has ended.",
  KEY_NOT_VOUCHED: "In the lobby's game mode only a server token may give players keys.",
  PLAYER_ALREADY_SEATED: "A player with the same key has a seat already. Let the player leave it first.",
  TOO_MANY_PLAYERS_FROM_SOURCE: "This client has reached its maximum of seats. Leave a lobby first.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used with another body. Use a new key for a new request.",
} as const satisfies Partial<Record<RefusalCode, string>>;

/** What find and create can be refused by the rules. */
export const newLobbyRefusals = [
  "NO_AVAILABLE_LOBBIES",
  "TOO_MANY_LOBBIES",
  "PLAYER_ALREADY_SEATED",
  "TOO_MANY_PLAYERS_FROM_SOURCE",
  "IDEMPOTENCY_KEY_REUSED",
] as const;

/**
 * The rules' refusal in the contract's words; anything but the expected codes is a bug. `words`: better ones, where the
 * call knows more.
 */
export function refuseSeats<C extends keyof typeof seatMessages>(
  { code, seated }: Pick<EngineRefusal, "code" | "seated">,
  expected: readonly C[],
  words: Partial<Record<C, string>> = {},
) {
  const known = expected.find((candidate) => candidate === code);
  if (known === undefined) throw new Error(`the rules answered ${code}, which is no answer to this call`);
  const players = seated?.map(({ index, lobbyId }) => ({ index, lobby_id: lobbyId }));
  return refuse(`MATCHMAKER_${known}`, words[known] ?? seatMessages[known], players && { metadata: { players } });
}

/** The caller's namespace was deleted while the request was under way. */
export function namespaceGone() {
  return refuse("TOKEN_INVALID", "The token's namespace was deleted.");
}
