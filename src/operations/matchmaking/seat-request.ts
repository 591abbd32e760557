import type { Idempotency } from "../../matchmaker/commands.ts";
import type { Client, WhenGone } from "../callers.ts";
import type { Context } from "../context.ts";
import { isRefusal } from "../refusal.ts";
import { readIdempotency } from "./idempotency.ts";

/** Who asks for seats, and for how many: what find, join and create have in common. */
export interface SeatRequest {
  readonly namespaceId: string;
  readonly client: Client;
  readonly whenGone: WhenGone;
  readonly seats: number;
  /** A call with a key keeps its seats for the retry; without one it loses them when it gives up. Null: without. */
  readonly idempotency: Idempotency | null;
}

interface SeatBody {
  readonly party_size?: number | null;
}

interface Call {
  readonly caller: { readonly namespaceId: string };
  readonly client: Client;
  readonly whenGone: WhenGone;
  readonly idempotencyKey: string | undefined;
  readonly body: SeatBody;
}

export function readSeatRequest(operation: "find" | "join" | "create", call: Call) {
  const { caller, client, whenGone, body } = call;
  const idempotency = readIdempotency(operation, call.idempotencyKey, body);
  if (isRefusal(idempotency)) return idempotency;
  return { namespaceId: caller.namespaceId, client, whenGone, seats: countSeats(body), idempotency };
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
