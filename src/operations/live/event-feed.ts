import type { EngineEvents, PlacedEvent } from "../../engine/engine.ts";
import type { PlaceOwner, SharedPlaces } from "../../ground/shares.ts";
import { createEventRing, type EventRing } from "./event-ring.ts";
import { eventText, resetText } from "./sse-text.ts";

/** One listener's place in the events of a namespace. */
export interface EventReader {
  /** What comes before the first event: where the listener stands, or that it missed something. */
  readonly greeting: string;
  /** Further events as they are sent; "" when there are none yet, null when some are gone that were not read. */
  read(): string | null;
  /** Some events are gone that were not read, and so the next read gives null. */
  hasFallenBehind(): boolean;
  /** Nothing will come after what was read. Streams of namespaces go on for ever and leave this out. */
  isAtEnd?(): boolean;
  /** Calls back whenever there is something new to read. */
  onNews(listener: () => void): void;
  close(): void;
}

/** Keeps the latest events of every namespace that somebody listens to, as they are sent. */
export interface EventFeed {
  /**
   * After the event of that id when what came after it is known, else from now on. Null: there is no place for the
   * listener.
   */
  open(of: PlaceOwner, lastEventId: string | undefined): Promise<EventReader | null>;
  push(event: PlacedEvent): void;
  /** Some events after a position are gone, and the next one that is pushed will be `next`. */
  pushGap(namespaceId: string, position: string, next: string): void;
  /** How much is kept, for tests and metrics. */
  size(): { readonly namespaces: number; readonly readers: number; readonly characters: number };
}

export interface FeedLimits {
  readonly eventsPerNamespaceMax: number;
  /** All namespaces together. The one with the most loses its oldest first. */
  readonly charactersMax: number;
}

const usualLimits: FeedLimits = { eventsPerNamespaceMax: 10_000, charactersMax: 64 * 1024 * 1024 };

/** Sent in one piece, so that a thousand events are not a thousand small writes. */
const pieceCharactersMax = 64 * 1024;
/** More than an engine remembers, so that nothing can be missing between these and what comes next. */
const pastMax = 20_000;

/** What a listener is sent before what this process hears from now on. */
interface Past {
  /** Where it begins. */
  readonly position: string;
  /** Null: some of it is gone. */
  readonly events: readonly PlacedEvent[] | null;
}

/** One listener's place, from the moment it asks for one. */
interface Place {
  readonly ring: EventRing;
  listener: () => void;
  /** Once or more often. */
  leave(): void;
}

export function createEventFeed(
  engine: Pick<EngineEvents, "position" | "eventsAfter" | "keepEvents">,
  now: () => number,
  places: SharedPlaces,
  limits: FeedLimits = usualLimits,
): EventFeed {
  const rings = createRings(limits);

  /** Null: there is none for it. From here on the events of the namespace are kept until the place is left. */
  function enter(of: PlaceOwner): Place | null {
    const taken = places.take(of, now());
    if (taken === null) return null;
    const dropEvents = engine.keepEvents(of.namespaceId);
    const entered = rings.enter(of.namespaceId, () => place.listener());
    const place: Place = {
      ring: entered.ring,
      listener: () => {},
      leave() {
        entered.leave();
        dropEvents();
        taken.leave(now());
      },
    };
    return place;
  }

  async function readPast(namespaceId: string, lastEventId: string | undefined): Promise<Past> {
    const position = await engine.position(namespaceId);
    if (lastEventId === undefined) return { position, events: [] };
    const missed = await engine.eventsAfter(namespaceId, lastEventId, pastMax);
    return missed === null ? { position, events: null } : { position: lastEventId, events: missed };
  }

  return {
    async open(of, lastEventId) {
      // Before the past is asked for, so that everything after it is heard here.
      const place = enter(of);
      if (place === null) return null;
      try {
        const { position, events } = await readPast(of.namespaceId, lastEventId);
        const greeting = events === null ? resetText(position, now()) : hereText(position);
        return readFrom(place, position, events ?? [], greeting);
      } catch (fault) {
        place.leave();
        throw fault;
      }
    },
    push: (event) => rings.add(event.namespaceId, event.position, () => eventText(event.position, event)),
    // It comes as late as the event after it: a listener that was sent that one already has missed nothing.
    pushGap: (namespaceId, position, next) => rings.add(namespaceId, next, () => resetText(position, now())),
    size: () => ({ ...rings.size(), readers: places.taken() }),
  };
}

/** Reads the past in pieces, then what the ring has after it. This process may hear some of the past only later. */
function readFrom(place: Place, position: string, past: readonly PlacedEvent[], greeting: string): EventReader {
  const { ring } = place;
  const last = past.at(-1)?.position ?? position;
  let next = ring.findAfter(last);
  let sentUpTo: string | null = last;
  let pastRead = 0;

  function readPiece(): string {
    let text = "";
    for (; pastRead < past.length && text.length < pieceCharactersMax; pastRead++) {
      const event = past[pastRead]!;
      text += eventText(event.position, event);
    }
    return text;
  }

  function readRing(): string | null {
    if (sentUpTo !== null) {
      next = ring.skip(next, sentUpTo);
      if (next < ring.end()) sentUpTo = null;
    }
    const piece = ring.read(next, pieceCharactersMax);
    if (piece === null) return null;
    next = piece.next;
    return piece.text;
  }

  return {
    greeting,
    read: () => (pastRead < past.length ? readPiece() : readRing()),
    hasFallenBehind: () => ring.read(next, 0) === null,
    onNews(callback) {
      place.listener = callback;
    },
    close: place.leave,
  };
}

/** The rings of the namespaces that somebody listens to. */
function createRings({ eventsPerNamespaceMax, charactersMax }: FeedLimits) {
  const open = new Map<string, { readonly ring: EventRing; readonly listeners: Set<() => void> }>();

  function countCharacters(): number {
    let sum = 0;
    for (const { ring } of open.values()) sum += ring.characters();
    return sum;
  }

  function makeRoom(): void {
    while (countCharacters() > charactersMax) {
      const largest = [...open.values()].reduce((a, b) => (b.ring.characters() > a.ring.characters() ? b : a));
      largest.ring.dropOldest(Math.ceil(largest.ring.size() / 10));
    }
  }

  return {
    enter(namespaceId: string, onNews: () => void) {
      const found = open.get(namespaceId) ?? { ring: createEventRing(eventsPerNamespaceMax), listeners: new Set() };
      open.set(namespaceId, found);
      found.listeners.add(onNews);
      return {
        ring: found.ring,
        leave() {
          found.listeners.delete(onNews);
          if (found.listeners.size === 0 && open.get(namespaceId) === found) open.delete(namespaceId);
        },
      };
    },
    add(namespaceId: string, position: string, writeText: () => string): void {
      const found = open.get(namespaceId);
      if (found === undefined) return;
      found.ring.add(writeText(), position);
      makeRoom();
      for (const onNews of found.listeners) onNews();
    },
    size: () => ({ namespaces: open.size, characters: countCharacters() }),
  };
}

/** An id without data says where the stream stands, and nothing is dispatched; `retry` is in milliseconds. */
function hereText(id: string): string {
  return `retry: 2000\nid: ${id}\n\n`;
}
