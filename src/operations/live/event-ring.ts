import { isLater } from "../../engine/positions.ts";

/**
 * The latest events of one namespace as texts, numbered from 1. Their ids hold the name of the ring, so that an id of
 * an earlier ring, of another namespace or of before a restart is never taken for one of this. Where events have
 * positions that every node knows, those are the ids.
 */
export function rememberedEvents(name: string, eventsMax: number) {
  let texts: string[] = [];
  /** Of events that have one, beside their texts. */
  let positions: (string | undefined)[] = [];
  /** Those before it in `texts` are dropped already; they are cut off a thousand at a time. */
  let start = 0;
  /** The number of the event at `start`. */
  let first = 1;
  /** Of the newest event that was dropped. */
  let droppedPosition: string | undefined;
  let characters = 0;

  const size = () => texts.length - start;
  const end = () => first + size();
  /** The id of the last event before this number. */
  const idAt = (next: number) => `${name}-${String(next - 1).padStart(12, "0")}`;

  function dropOldest(count: number): void {
    for (let left = Math.min(count, size()); left > 0; left--) {
      characters -= texts[start]!.length;
      texts[start] = "";
      droppedPosition = positions[start];
      start += 1;
      first += 1;
    }
    if (start < 1024) return;
    texts = texts.slice(start);
    positions = positions.slice(start);
    start = 0;
  }

  return {
    size,
    /** The number that the next event will have. */
    end,
    idAt,
    characters: () => characters,
    dropOldest,
    /** `id`: the one that it is sent with, where that is not its position. */
    add(textOf: (id: string) => string, position?: string, id = position): void {
      const text = textOf(id ?? idAt(end() + 1));
      texts.push(text);
      positions.push(position);
      characters += text.length;
      dropOldest(size() - eventsMax);
    },
    /** The number after the event of that id; null: it is not of this ring, or what came after it is gone. */
    after(id: string): number | null {
      if (!/^\d{12}$/.test(id.slice(name.length + 1)) || !id.startsWith(`${name}-`)) return null;
      const next = Number(id.slice(name.length + 1)) + 1;
      return next >= first && next <= end() ? next : null;
    },
    /**
     * The number of the first event after that position; everything here has one. When that event was dropped, it is a
     * number that can not be read any more.
     */
    afterPosition(position: string): number {
      let next = end();
      while (next > first && isLater(positions[start + next - 1 - first] ?? "", position)) next -= 1;
      return next === first && isLater(droppedPosition ?? "", position) ? first - 1 : next;
    },
    /** From that number on, the number of the first event that is later than the position; the end when none is yet. */
    skip(from: number, position: string): number {
      let next = from;
      while (next >= first && next < end() && !isLater(positions[start + next - first] ?? "", position)) next += 1;
      return next;
    },
    /** Events from that number on, up to about so many characters; null: the first of them is gone. */
    read(from: number, charactersMax: number): { readonly text: string; readonly next: number } | null {
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
