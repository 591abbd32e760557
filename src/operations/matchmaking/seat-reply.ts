import { StoreUnavailable } from "../../ground/unavailable.ts";
import type { Idempotency, LobbyView, RefusalCode, Seated } from "../../matchmaker/commands.ts";
import type { Client, WhenGone } from "../callers.ts";
import { startFailed } from "../capacity/start-refusal.ts";
import { refuseBlocked } from "../cloud/blocks.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";
import { isReachable } from "./lobby-waiters.ts";

/** What find, join and create know of their caller. */
export interface Seating {
  readonly namespaceId: string;
  /** A call with a key keeps its seats for the retry; another loses them when it gives up. */
  readonly hasKey: boolean;
  readonly client: Client;
  readonly whenGone: WhenGone;
}

/** Waits for the lobby if it is still starting, then answers where it is and with which tokens. */
export function answerSeated(context: Context, seating: Seating, seated: Seated) {
  const { lobby, playerIds } = seated;
  if (isReachable(lobby)) return joinAnswer(context, seating.namespaceId, lobby, playerIds);
  return answerWhenReady(context, seating, seated);
}

async function answerWhenReady(context: Context, seating: Seating, { lobby, playerIds }: Seated) {
  const { namespaceId } = seating;
  const waited = await context.waiting.untilReady(namespaceId, lobby.lobbyId, seating.whenGone);
  const blocked = await blockedMeanwhile(context, seating);
  if (waited.end === "ready" && !blocked) return joinAnswer(context, namespaceId, waited.lobby, playerIds);
  if (waited.end === "stopped") return startFailed(context, lobby.lobbyId, waited.lobby);
  if (!seating.hasKey) {
    await context.engine.execute({ type: "releaseSeats", namespaceId, now: context.now(), playerIds });
  }
  if (blocked) return blocked;
  const retryAfterS = waited.end === "stopping" ? 1 : 5;
  const message = `Lobby ${lobby.lobbyId} is not ready yet. Try again shortly.`;
  return refuse("MATCHMAKER_LOBBY_NOT_READY", message, { retryAfterS });
}

/** The operator may have blocked the client while it waited. */
async function blockedMeanwhile(context: Context, { namespaceId, client }: Seating) {
  const config = await context.configs.get(namespaceId);
  return config && refuseBlocked(config, client, context.now());
}

/**
 * The answer to a retry whose first call has its seat still, though the request itself could not be made any more, as
 * after a deploy without its game mode. A find without pairs takes nothing, but knows the key. Null: it is no retry.
 */
export async function answerEarlier(
  context: Context,
  seating: Seating,
  client: Client,
  idempotency: Idempotency | null,
) {
  if (idempotency === null) return null;
  const { namespaceId } = seating;
  const outcome = await context.configs.execute("find", namespaceId, ({ revision }) => ({
    type: "find",
    namespaceId,
    now: context.now(),
    revision,
    clientId: client.id,
    pairs: [],
    tags: {},
    playerIds: [],
    create: null,
    createRefusal: "NO_AVAILABLE_LOBBIES",
    idempotency,
  }));
  if (outcome?.ok) return answerSeated(context, seating, outcome);
  return outcome?.code === "IDEMPOTENCY_KEY_REUSED" ? seatRefusal(outcome.code, ["IDEMPOTENCY_KEY_REUSED"]) : null;
}

async function joinAnswer(context: Context, namespaceId: string, lobby: LobbyView, playerIds: readonly string[]) {
  const displayName =
    deployedRegionName(context, namespaceId, lobby) ?? (await regionName(context, namespaceId, lobby));
  const players = playerIds.map((playerId) => ({
    player_id: playerId,
    token: context.tokens.make({ kind: "player", namespaceId, lobbyId: lobby.lobbyId, playerId }),
  }));
  const player = { token: players[0]!.token };
  const ports = lobby.ports === null ? {} : JSON.parse(lobby.ports);
  const region = { region_id: lobby.region, display_name: displayName };
  return { lobby: { lobby_id: lobby.lobbyId, region, ports, player }, ports, player, players };
}

/** Without a promise, since nearly every find is answered with a lobby of the deployed version. Null: ask `regionName`. */
function deployedRegionName({ configs }: Context, namespaceId: string, { region, versionId }: LobbyView) {
  const deployed = configs.peek(namespaceId)?.version;
  return deployed?.versionId === versionId ? (deployed.config.regions[region]?.display_name ?? null) : null;
}

/** As the lobby's version has it. The seat is taken, so a store that is away does not stand in the way: the id is a name too. */
async function regionName({ configs }: Context, namespaceId: string, { region, versionId }: LobbyView) {
  try {
    const config = await configs.get(namespaceId);
    const deployed = config?.version ?? null;
    const isDeployed = deployed?.versionId === versionId;
    const version = isDeployed ? deployed : config && (await configs.version(config.gameId, versionId));
    return version?.config.regions[region]?.display_name ?? region;
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
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
  TOO_MANY_LOBBIES: "There are as many lobbies as there may be at once. Try again when one has ended.",
  TOO_MANY_PLAYERS_FROM_SOURCE: "This client would hold more seats at once than it may. Leave a lobby first.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used with another body. Use a new key for a new request.",
} as const satisfies Partial<Record<RefusalCode, string>>;

/**
 * The rules' refusal in the contract's words; anything but the expected codes is a bug. `words`: better ones, where the
 * call knows more.
 */
export function seatRefusal<C extends keyof typeof seatMessages>(
  code: RefusalCode,
  expected: readonly C[],
  words: Partial<Record<C, string>> = {},
) {
  const known = expected.find((candidate) => candidate === code);
  if (known === undefined) throw new Error(`the rules answered ${code}, which is no answer to this call`);
  return refuse(`MATCHMAKER_${known}`, words[known] ?? seatMessages[known]);
}

/** The caller's namespace was deleted while the request was under way. */
export function namespaceGone() {
  return refuse("TOKEN_INVALID", "The token's namespace is gone.");
}
