import type { Facts, Tags } from "./field-kinds.ts";
import type { OrderedSet } from "./ordered-set.ts";
import type { keyFields, lobbyFields, namespaceFields, playerFields } from "./schema.ts";

/**
 * What a namespace's state is made of. Only state.ts writes these; everything else reads.
 * A record's *facts* are in schema.ts; they are stored and loaded again. What is written out here is derived from them.
 */
export interface Lobby extends Facts<typeof lobbyFields> {
  readonly kind: typeof lobbyKind;
  readonly id: string;
  readonly pool: Pool;
  readonly tagKeys: readonly string[];
  reserved: number;
  connected: number;
  held: number;
  /** The players with a taken seat, in no particular order. */
  readonly players: Player[];
  dueAt: number;
}

export interface Player extends Facts<typeof playerFields> {
  readonly kind: typeof playerKind;
  readonly id: string;
  dueAt: number;
  /** Its index in its lobby's `players`; -1 once the seat has ended. */
  slot: number;
}

export interface Key extends Facts<typeof keyFields> {
  readonly kind: typeof keyKind;
  readonly id: string;
  dueAt: number;
}

export type NamespaceRecord = Facts<typeof namespaceFields>;

/** At one moment seats end before lobbies, lobbies before keys. */
export const playerKind = 0;
export const lobbyKind = 1;
export const keyKind = 2;

export type Timed = Player | Lobby | Key;

/** The remembered lobbies of one version, game mode and region, and the indexes over them. Derived altogether. */
export interface Pool {
  readonly versionId: string;
  readonly gameMode: string;
  readonly region: string;
  isDeployed: boolean;
  /** How many idle lobbies are kept; 0 unless deployed. */
  idleMin: number;
  lobbyCount: number;
  taken: number;
  /** What find searches: routable lobbies under the empty key, and again under the key of each of their tags. */
  readonly groups: Map<string, Group>;
  /** Idle lobbies that are ready, the oldest first. */
  readonly idle: OrderedSet<Lobby>;
  idleStarting: number;
  /** What the public list shows, by id. */
  readonly listed: OrderedSet<Lobby>;
  /**
   * Living public lobbies that are closed, by themselves or by the operator, or silent, the oldest first: what an
   * explanation shows besides the groups.
   */
  readonly barred: OrderedSet<Lobby>;
  /** Living private lobbies. */
  privateCount: number;
}

export interface Group {
  lobbyCount: number;
  readonly sizes: SizedLobbies[];
}

/** Lobbies of one size have one cap, so the best fit among them is the first one below it. */
interface SizedLobbies {
  readonly isReady: boolean;
  readonly maxPlayers: number;
  readonly lobbies: OrderedSet<Lobby>;
}

export function takenSeats(lobby: Lobby): number {
  return lobby.reserved + lobby.connected + lobby.held;
}

/**
 * The most seats that were ever taken at the same time. While a lobby only fills up, that is its current number of
 * players, so taking a seat need not write the lobby as well.
 */
export function peakSeats(lobby: Lobby): number {
  return Math.max(lobby.peakBefore, takenSeats(lobby));
}

export function isTaken(player: Player): boolean {
  return player.status === "reserved" || player.status === "connected" || player.status === "held";
}

export function isLiving(lobby: Lobby): boolean {
  return lobby.status !== "stopped";
}

/** Neither the lobby nor the operator has closed it. */
export function isOpen(lobby: Lobby): boolean {
  return !lobby.isClosed && lobby.operatorClose === null;
}

/** Find may choose it, as far as the lobby itself goes. */
export function isRoutable(lobby: Lobby): boolean {
  return isLiving(lobby) && isOpen(lobby) && !lobby.isPrivate && lobby.silentSince === null;
}

/** It waits for players that may come: such lobbies make up the warm pool. */
export function isIdle(lobby: Lobby): boolean {
  return !lobby.isExternal && takenSeats(lobby) === 0 && isRoutable(lobby);
}

export function isListed(lobby: Lobby): boolean {
  return lobby.status === "ready" && !lobby.isPrivate && lobby.silentSince === null;
}

/** No tag name holds the separator: the API refuses NUL. */
export function listTagKeys(tags: Tags): readonly string[] {
  const names = Object.keys(tags);
  return names.length === 0 ? noTagKeys : names.sort().map((name) => `${name}\u0000${tags[name]}`);
}

const noTagKeys: readonly string[] = [];

/** The order in which find prefers: most seats taken, then the older, then the smaller id. */
export function compareFullest(a: Lobby, b: Lobby): number {
  return takenSeats(b) - takenSeats(a) || compareAge(a, b);
}

export function compareAge(a: Lobby, b: Lobby): number {
  return a.createdAt - b.createdAt || compareIds(a, b);
}

export function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

export function compareDue(a: Timed, b: Timed): number {
  return a.dueAt - b.dueAt || a.kind - b.kind || compareIds(a, b);
}
