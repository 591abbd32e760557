import { noClient } from "../../matchmaker/client-ranges.ts";
import type { Idempotency } from "../../matchmaker/commands.ts";
import type { CallerOf, Client, WhenGone } from "../callers.ts";
import type { Context } from "../context.ts";
import { isRefusal } from "../refusal.ts";
import { readIdempotency } from "./idempotency.ts";

/** Who asks for seats, and for how many: what find, join and create have in common. */
export interface SeatRequest {
  readonly namespaceId: string;
  /** Null: a server token asks. It has no place, no budget and no blocks, and what players may do does not bind it. */
  readonly client: Client | null;
  /** Of the client, for the rules. */
  readonly clientId: string;
  readonly whenGone: WhenGone;
  readonly seats: number;
  /** A call with a key keeps its seats for the retry; without one it loses them when it gives up. Null: without. */
  readonly idempotency: Idempotency | null;
}

interface SeatBody {
  readonly party_size?: number | null;
}

interface Call {
  readonly caller: CallerOf<"pub" | "origin" | "server">;
  readonly client: Client;
  readonly whenGone: WhenGone;
  readonly idempotencyKey: string | undefined;
  readonly body: SeatBody;
}

export function readSeatRequest(operation: "find" | "join" | "create", call: Call) {
  const { caller, whenGone, body } = call;
  const client = caller.kind === "server" ? null : call.client;
  // The rules know keys by client, so those of a server token say whose they are.
  const scope = caller.kind === "server" ? `${caller.tokenId} ${operation}` : operation;
  const idempotency = readIdempotency(scope, call.idempotencyKey, body);
  if (isRefusal(idempotency)) return idempotency;
  const clientId = client?.id ?? noClient;
  const asked = { namespaceId: caller.namespaceId, client, clientId, whenGone, seats: countSeats(body), idempotency };
  return asked satisfies SeatRequest;
}

export function countSeats({ party_size }: SeatBody): number {
  return party_size ?? 1;
}

/** One id for each seat. */
export function newPlayerIds(context: Context, { seats }: SeatRequest): string[] {
  const ids: string[] = [];
  while (ids.length < seats) ids.push(context.newId());
  return ids;
}
