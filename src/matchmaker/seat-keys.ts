import { noClient } from "./client-ranges.ts";
import type { KeyShown } from "./commands.ts";
import { addOrdered, createOrderedSet, type OrderedSet, orderedFrom, removeOrdered } from "./ordered-set.ts";
import type { Player } from "./records.ts";

/**
 * The taken seats of players with keys. A key is unique within the client that brought it; server tokens are no client, so
 * the keys that they vouch for are unique among themselves in the whole namespace, and in no client's way.
 */
export interface SeatKeys {
  /** By client and key. */
  readonly seats: Map<string, Player>;
  /** By key, then lobby, then client. */
  readonly ordered: OrderedSet<Player>;
}

export function createSeatKeys(): SeatKeys {
  return { seats: new Map(), ordered: createOrderedSet(compareKeyed) };
}

/** Of a player who has a key. */
export function addSeatKey(keys: SeatKeys, player: Player): void {
  keys.seats.set(scopeKey(player.clientId, player.playerKey!), player);
  addOrdered(keys.ordered, player);
}

export function removeSeatKey(keys: SeatKeys, player: Player): void {
  keys.seats.delete(scopeKey(player.clientId, player.playerKey!));
  removeOrdered(keys.ordered, player);
}

export function findSeatByKey(keys: SeatKeys, clientId: string, key: string): Player | undefined {
  return keys.seats.get(scopeKey(clientId, key));
}

/** The lobbies after one (null: from the first on) in which a player with the key has a seat, by id, each once. */
export function* lobbiesWithKey(keys: SeatKeys, key: string, after: string | null): Generator<string> {
  const isBefore = ({ playerKey, lobbyId }: Player) =>
    playerKey! < key || (playerKey === key && after !== null && lobbyId <= after);
  let last: string | null = null;
  for (const { playerKey, lobbyId } of orderedFrom(keys.ordered, isBefore)) {
    if (playerKey !== key) return;
    if (lobbyId !== last) yield lobbyId;
    last = lobbyId;
  }
}

/** For its lobby, and for operators. */
export function showKey({ playerKey, clientId }: Pick<Player, "playerKey" | "clientId">): KeyShown {
  return playerKey === null ? noKey : { key: playerKey, isKeyVouched: clientId === noClient };
}

const noKey: KeyShown = {};

/** Neither keys nor client addresses hold a space. */
function scopeKey(clientId: string, key: string): string {
  return `${clientId} ${key}`;
}

function compareKeyed(a: Player, b: Player): number {
  return compare(a.playerKey!, b.playerKey!) || compare(a.lobbyId, b.lobbyId) || compare(a.clientId, b.clientId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
