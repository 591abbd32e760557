import { isLater } from "../../engine/positions.ts";

/** The latest events of one namespace as texts with their positions, numbered from 1. */
export interface EventRing {
  size(): number;
  /** The number that the next event will have. */
  end(): number;
  characters(): number;
  add(text: string, position: string): void;
  dropOldest(count: number): void;
  /**
   * The number of the first event after that position. If that event was dropped, a number that can no longer be read.
   */
  findAfter(position: string): number;
  /** From that number on, the number of the first event that is later than the position; the end when none is yet. */
  skip(from: number, position: string): number;
  /** Events from that number on, up to about that many characters; null: the first of them was dropped. */
  read(from: number, charactersMax: number): { readonly text: string; readonly next: number } | null;
}

/** Dropped entries are removed in groups of this size. */
const cutAt = 1024;

export function createEventRing(eventsMax: number): EventRing {
  let texts: string[] = [];
  let positions: string[] = [];
  /** Entries before it in the two lists are already dropped. */
  let start = 0;
  /** The number of the event at `start`. */
  let first = 1;
  /** The position of the newest dropped event. */
  let droppedPosition = "0-0";
  let characters = 0;

  const size = () => texts.length - start;
  const end = () => first + size();
  const positionAt = (number: number) => positions[start + number - first] ?? "";

  function dropOldest(count: number): void {
    for (let left = Math.min(count, size()); left > 0; left--) {
      characters -= texts[start]!.length;
      texts[start] = "";
      droppedPosition = positionAt(first);
      start += 1;
      first += 1;
    }
    if (start < cutAt) return;
    texts = texts.slice(start);
    positions = positions.slice(start);
    start = 0;
  }

  return {
    size,
    end,
    characters: () => characters,
    dropOldest,
    add(text, position) {
      texts.push(text);
      positions.push(position);
      characters += text.length;
      dropOldest(size() - eventsMax);
    },
    findAfter(position) {
      let next = end();
      while (next > first && isLater(positionAt(next - 1), position)) next -= 1;
      return next === first && isLater(droppedPosition, position) ? first - 1 : next;
    },
    skip(from, position) {
      let next = from;
      while (next >= first && next < end() && !isLater(positionAt(next), position)) next += 1;
      return next;
    },
    read(from, charactersMax) {
      if (from < first) return null;
      let text = "";
      let next = from;
      while (next < end() && text.length < charactersMax) {
        text += texts[start + next - first]!;
        next += 1;
      }
      return { text, next };
    },
  };
}
