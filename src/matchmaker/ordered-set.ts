/**
 * A set kept in the order of `compare`: sorted chunks, found by binary search.
 * An item's order must not change while it is inside: take it out, change it, put it back.
 */
export interface OrderedSet<T> {
  readonly compare: (a: T, b: T) => number;
  /** Never an empty chunk. */
  readonly chunks: T[][];
  size: number;
  /** How many items were ever looked at. Tests show with it that a search does not grow with the set. */
  steps: number;
}

/** Each addition and removal moves part of a chunk: with 256 the rule of find with two tags took a seventh longer. */
const chunkMax = 64;

export function createOrderedSet<T>(compare: (a: T, b: T) => number): OrderedSet<T> {
  return { compare, chunks: [], size: 0, steps: 0 };
}

/** Puts all items into an empty set together, which is far cheaper than one by one. */
export function fillOrdered<T>(set: OrderedSet<T>, items: T[]): void {
  if (set.size > 0) throw new Error("Only an empty ordered set can be filled.");
  items.sort(set.compare);
  // Chunks are left room to grow, or the first additions would split them all.
  const length = (chunkMax * 3) / 4;
  for (let at = 0; at < items.length; at += length) set.chunks.push(items.slice(at, at + length));
  set.size = items.length;
}

/** Adding an item twice is a bug of the caller. */
export function addOrdered<T>(set: OrderedSet<T>, item: T): void {
  const { chunks, compare } = set;
  if (isAfterAll(set, item)) {
    append(set, item);
    return;
  }
  const isBefore = (other: T) => compare(other, item) < 0;
  const chunkAt = Math.min(firstChunk(set, isBefore), Math.max(0, chunks.length - 1));
  const chunk = chunks[chunkAt];
  if (chunk === undefined) {
    chunks.push([item]);
    set.size = 1;
    return;
  }
  const at = firstInside(set, chunk, isBefore);
  if (at < chunk.length && compare(chunk[at]!, item) === 0) throw new Error("An ordered set already has this item.");

  chunk.splice(at, 0, item);
  set.size += 1;
  if (chunk.length > chunkMax) chunks.splice(chunkAt + 1, 0, chunk.splice(chunkMax / 2));
}

/** Most new deadlines and ids are the latest: one comparison finds their place. */
function isAfterAll<T>({ chunks, compare }: OrderedSet<T>, item: T): boolean {
  const last = chunks[chunks.length - 1];
  return last !== undefined && compare(last[last.length - 1]!, item) < 0;
}

function append<T>(set: OrderedSet<T>, item: T): void {
  const { chunks } = set;
  const last = chunks[chunks.length - 1]!;
  set.steps += 1;
  set.size += 1;
  if (last.length < chunkMax) last.push(item);
  else chunks.push([item]);
}

/** Removing an absent item is a bug of the caller. */
export function removeOrdered<T>(set: OrderedSet<T>, item: T): void {
  const { chunks, compare } = set;
  const isBefore = (other: T) => compare(other, item) < 0;
  const chunkAt = firstChunk(set, isBefore);
  const chunk = chunks[chunkAt];
  const at = chunk === undefined ? 0 : firstInside(set, chunk, isBefore);
  if (chunk === undefined || compare(chunk[at]!, item) !== 0)
    throw new Error("An ordered set does not have this item.");

  chunk.splice(at, 1);
  set.size -= 1;
  const next = chunks[chunkAt + 1];
  if (chunk.length === 0) {
    chunks.splice(chunkAt, 1);
  } else if (next !== undefined && chunk.length + next.length <= chunkMax / 2) {
    for (const moved of next) chunk.push(moved);
    chunks.splice(chunkAt + 1, 1);
  }
}

export function firstOrdered<T>(set: OrderedSet<T>): T | undefined {
  return set.chunks[0]?.[0];
}

/** The item at this position, counted from 0. Cheap for small positions. */
export function itemAt<T>(set: OrderedSet<T>, position: number): T | undefined {
  let left = position;
  for (const chunk of set.chunks) {
    if (left < chunk.length) return chunk[left];
    left -= chunk.length;
  }
  return undefined;
}

/** The first item that `isBefore` does not hold for; it must hold for a beginning of the set only. */
export function firstFrom<T>(set: OrderedSet<T>, isBefore: (item: T) => boolean): T | undefined {
  const chunk = set.chunks[firstChunk(set, isBefore)];
  return chunk?.[firstInside(set, chunk, isBefore)];
}

/** Items in order, from the first that `isBefore` does not hold for; it must hold for a beginning of the set only. */
export function* orderedFrom<T>(set: OrderedSet<T>, isBefore: (item: T) => boolean): Generator<T, void, undefined> {
  const { chunks } = set;
  let chunkAt = firstChunk(set, isBefore);
  let at = chunkAt < chunks.length ? firstInside(set, chunks[chunkAt]!, isBefore) : 0;
  for (; chunkAt < chunks.length; chunkAt++) {
    const chunk = chunks[chunkAt]!;
    for (; at < chunk.length; at++) {
      set.steps += 1;
      yield chunk[at]!;
    }
    at = 0;
  }
}

/** The items that `isBefore` holds for, from the last of them backwards. */
export function* orderedBefore<T>(set: OrderedSet<T>, isBefore: (item: T) => boolean): Generator<T, void, undefined> {
  const { chunks } = set;
  let chunkAt = firstChunk(set, isBefore);
  let at = chunkAt < chunks.length ? firstInside(set, chunks[chunkAt]!, isBefore) : 0;
  for (;;) {
    while (at > 0) {
      at -= 1;
      set.steps += 1;
      yield chunks[chunkAt]![at]!;
    }
    if (chunkAt === 0) return;
    chunkAt -= 1;
    at = chunks[chunkAt]!.length;
  }
}

export function* orderedItems<T>(set: OrderedSet<T>): Generator<T, void, undefined> {
  for (const chunk of set.chunks) yield* chunk;
}

/** The first chunk with an item that is not before: its last one is not. */
function firstChunk<T>(set: OrderedSet<T>, isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = set.chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const chunk = set.chunks[middle]!;
    set.steps += 1;
    if (isBefore(chunk[chunk.length - 1]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstInside<T>(set: OrderedSet<T>, chunk: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    set.steps += 1;
    if (isBefore(chunk[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
