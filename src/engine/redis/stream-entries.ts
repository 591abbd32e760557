import type { RedisLink } from "../../redis/interface.ts";
import type { PlacedEvent } from "../engine.ts";
import { readEvent, type WrittenEvent } from "./read-views.ts";
import { eventsAfterScript } from "./scripts.ts";

/** The entries of a namespace's stream in Redis. The casts are safe: only Foyer's own scripts write these. */

export interface StreamKeys {
  readonly link: RedisLink;
  readonly prefix: string;
}

export function streamKey({ prefix }: StreamKeys, namespaceId: string): string {
  return `${prefix}:{${namespaceId}}:events`;
}

/** Oldest first, without checking whether some were dropped. */
export async function nextEntries(
  keys: StreamKeys,
  namespaceId: string,
  position: string,
  max: number,
): Promise<WrittenEvent[]> {
  const args = [`(${position}`, "+", "COUNT", max];
  return (await keys.link.call("XRANGE", streamKey(keys, namespaceId), args)) as WrittenEvent[];
}

/** Null: some of them were dropped. */
export async function entriesAfter(
  { link, prefix }: StreamKeys,
  namespaceId: string,
  position: string,
  max: number,
): Promise<WrittenEvent[] | null> {
  const answer = await link.run(eventsAfterScript, `${prefix}:{${namespaceId}}:ns`, [position, String(max)]);
  const [found, entries] = answer as ["OK", WrittenEvent[]] | ["GONE", undefined];
  return found === "GONE" ? null : entries!;
}

/** The newest first. */
export async function lastEntries(keys: StreamKeys, namespaceId: string, max: number): Promise<WrittenEvent[]> {
  const args = ["+", "-", "COUNT", max];
  return (await keys.link.call("XREVRANGE", streamKey(keys, namespaceId), args)) as WrittenEvent[];
}

export async function lastPosition(keys: StreamKeys, namespaceId: string): Promise<string> {
  return (await lastEntries(keys, namespaceId, 1))[0]?.[0] ?? "0-0";
}

/** Null: another Foyer wrote it, in a way that this one does not know. */
export function readableEvent(namespaceId: string, entry: WrittenEvent): PlacedEvent | null {
  try {
    return readEvent(namespaceId, entry);
  } catch {
    return null;
  }
}
