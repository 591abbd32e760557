import { addOrdered, createOrderedSet, firstFrom, type OrderedSet, orderedFrom, removeOrdered } from "./ordered-set.ts";
import {
  compareAge,
  compareFullest,
  compareIds,
  type Group,
  isIdle,
  isListed,
  isLiving,
  isRoutable,
  type Lobby,
  type Pool,
  takenSeats,
} from "./records.ts";

/** The indexes of a pool. Only state.ts adds and removes; rules only search. */

export function createPool(versionId: string, gameMode: string, region: string): Pool {
  return {
    versionId,
    gameMode,
    region,
    isDeployed: false,
    idleMin: 0,
    lobbyCount: 0,
    taken: 0,
    groups: new Map(),
    idle: createOrderedSet(compareAge),
    idleStarting: 0,
    listed: createOrderedSet<Lobby>(compareIds),
    barred: createOrderedSet(compareAge),
    privateCount: 0,
  };
}

/** The lobby that a find of this pool takes, or none: ready before starting, then the order of compareFullest. */
export function bestFit(pool: Pool, tagKeys: readonly string[], seats: number, maxPlayers: number): Lobby | undefined {
  const group = rarestGroup(pool, tagKeys);
  if (group === undefined) return undefined;
  return pickBest(group, true, tagKeys, seats, maxPlayers) ?? pickBest(group, false, tagKeys, seats, maxPlayers);
}

/** Every fit has all the tags, so it is among the lobbies of the rarest one. */
function rarestGroup(pool: Pool, tagKeys: readonly string[]): Group | undefined {
  let rarest = pool.groups.get("");
  for (const tagKey of tagKeys) {
    const group = pool.groups.get(tagKey);
    if (group === undefined) return undefined;
    if (rarest === undefined || group.lobbyCount <= rarest.lobbyCount) rarest = group;
  }
  return rarest;
}

function pickBest(
  group: Group,
  isReady: boolean,
  tagKeys: readonly string[],
  seats: number,
  maxPlayers: number,
): Lobby | undefined {
  let best: Lobby | undefined;
  for (const sized of group.sizes) {
    const takenMax = Math.min(sized.maxPlayers, maxPlayers) - seats;
    if (sized.isReady !== isReady || takenMax < 0) continue;
    const lobby = firstTagged(sized.lobbies, tagKeys, (other) => takenSeats(other) > takenMax);
    if (lobby !== undefined && (best === undefined || compareFullest(lobby, best) < 0)) best = lobby;
  }
  return best;
}

/** Up to one tag, every lobby of the group has it; of several, the group's is only the rarest. */
function firstTagged(
  lobbies: OrderedSet<Lobby>,
  tagKeys: readonly string[],
  isTooFull: (lobby: Lobby) => boolean,
): Lobby | undefined {
  if (tagKeys.length < 2) return firstFrom(lobbies, isTooFull);
  for (const lobby of orderedFrom(lobbies, isTooFull)) {
    if (tagKeys.every((tagKey) => lobby.tagKeys.includes(tagKey))) return lobby;
  }
  return undefined;
}

export function addToPool(lobby: Lobby): void {
  addToSeatIndexes(lobby);
  if (isListed(lobby)) addOrdered(lobby.pool.listed, lobby);
}

/** The indexes whose order or members depend on the seats taken. */
export function addToSeatIndexes(lobby: Lobby): void {
  const { pool } = lobby;
  if (isRoutable(lobby)) {
    addToGroup(pool, "", lobby);
    for (const tagKey of lobby.tagKeys) addToGroup(pool, tagKey, lobby);
  } else if (isLiving(lobby)) {
    if (lobby.isPrivate) pool.privateCount += 1;
    else addOrdered(pool.barred, lobby);
  }
  if (isIdle(lobby)) {
    if (lobby.readyAt === null) pool.idleStarting += 1;
    else addOrdered(pool.idle, lobby);
  }
}

/** Must see the lobby exactly as addToPool saw it. */
export function removeFromPool(lobby: Lobby): void {
  removeFromSeatIndexes(lobby);
  if (isListed(lobby)) removeOrdered(lobby.pool.listed, lobby);
}

export function removeFromSeatIndexes(lobby: Lobby): void {
  const { pool } = lobby;
  if (isRoutable(lobby)) {
    removeFromGroup(pool, "", lobby);
    for (const tagKey of lobby.tagKeys) removeFromGroup(pool, tagKey, lobby);
  } else if (isLiving(lobby)) {
    if (lobby.isPrivate) pool.privateCount -= 1;
    else removeOrdered(pool.barred, lobby);
  }
  if (isIdle(lobby)) {
    if (lobby.readyAt === null) pool.idleStarting -= 1;
    else removeOrdered(pool.idle, lobby);
  }
}

function addToGroup(pool: Pool, tagKey: string, lobby: Lobby): void {
  let group = pool.groups.get(tagKey);
  if (group === undefined) {
    group = { lobbyCount: 0, sizes: [] };
    pool.groups.set(tagKey, group);
  }
  let sized = group.sizes[sizeAt(group, lobby)];
  if (sized === undefined) {
    const isReady = lobby.readyAt !== null;
    sized = { isReady, maxPlayers: lobby.maxPlayers, lobbies: createOrderedSet(compareFullest) };
    group.sizes.push(sized);
  }
  addOrdered(sized.lobbies, lobby);
  group.lobbyCount += 1;
}

function removeFromGroup(pool: Pool, tagKey: string, lobby: Lobby): void {
  const group = pool.groups.get(tagKey)!;
  const at = sizeAt(group, lobby);
  const sized = group.sizes[at]!;
  removeOrdered(sized.lobbies, lobby);
  group.lobbyCount -= 1;
  if (sized.lobbies.size === 0) group.sizes.splice(at, 1);
  if (group.lobbyCount === 0) pool.groups.delete(tagKey);
}

function sizeAt(group: Group, lobby: Lobby): number {
  const isReady = lobby.readyAt !== null;
  return group.sizes.findIndex((sized) => sized.isReady === isReady && sized.maxPlayers === lobby.maxPlayers);
}
