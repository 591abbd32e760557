import type { ResolvedGameMode } from "../../contract/version-config.ts";
import { noClient } from "../../matchmaker/client-ranges.ts";
import type { Idempotency } from "../../matchmaker/commands.ts";
import type { CallerOf, Client, WhenGone } from "../callers.ts";
import type { Context } from "../context.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { readIdempotency } from "./idempotency.ts";
import { checkSeats, countSeats, type SeatsBody } from "./lobby-requests.ts";

/** Who asks for seats, and for how many: what find, join and create have in common. */
export interface SeatRequest {
  readonly namespaceId: string;
  /** Null: a server token asks. It has no place, no budget and no blocks, and what players may do does not bind it. */
  readonly client: Client | null;
  /** Of the client, for the rules. */
  readonly clientId: string;
  readonly whenGone: WhenGone;
  readonly seats: number;
  /** The players' keys, one for each seat; empty: this player has none. Null: no player has one. */
  readonly keys: readonly string[] | null;
  /** They are those of a server token. */
  readonly areKeysVouched: boolean;
  /** A call with a key keeps its seats for the retry; without one it loses them when it gives up. Null: without. */
  readonly idempotency: Idempotency | null;
}

interface Call {
  readonly caller: CallerOf<"pub" | "origin" | "server">;
  readonly client: Client;
  readonly whenGone: WhenGone;
  readonly idempotencyKey: string | undefined;
  readonly body: SeatsBody;
}

export function readSeatRequest(operation: "find" | "join" | "create", call: Call) {
  const { caller, whenGone, body } = call;
  const invalid = checkSeats(body);
  if (invalid) return invalid;
  const client = caller.kind === "server" ? null : call.client;
  // The rules know keys by client, so those of a server token say whose they are.
  const scope = caller.kind === "server" ? `${caller.tokenId} ${operation}` : operation;
  const idempotency = readIdempotency(scope, call.idempotencyKey, body);
  if (isRefusal(idempotency)) return idempotency;
  const clientId = client?.id ?? noClient;
  return {
    namespaceId: caller.namespaceId,
    client,
    clientId,
    whenGone,
    seats: countSeats(body),
    keys: readKeys(body),
    areKeysVouched: caller.kind === "server",
    idempotency,
  } satisfies SeatRequest;
}

export function readKeys({ players }: SeatsBody): string[] | null {
  if (!players?.some(({ key }) => key)) return null;
  return players.map(({ key }) => key ?? "");
}

/** The seats as the rules take them: one id for each, and the keys if there are any. */
export function newSeats(context: Context, { seats, keys }: SeatRequest) {
  const playerIds = newPlayerIds(context, seats);
  return keys === null ? { playerIds } : { playerIds, keys };
}

export function newPlayerIds(context: Context, seats: number): string[] {
  const playerIds: string[] = [];
  while (playerIds.length < seats) playerIds.push(context.newId());
  return playerIds;
}

/** Null: the mode takes the keys of this call. */
export function checkKeys(name: string, mode: ResolvedGameMode, { keys, areKeysVouched }: SeatRequest) {
  if (keys === null || areKeysVouched || mode.player_keys === "open") return null;
  return refuse("MATCHMAKER_KEY_NOT_VOUCHED", `In the game mode ${name} only a server token may give players keys.`);
}
