import type { PlaceOwner, SharedPlaces } from "../../ground/shares.ts";
import type { Event } from "../../matchmaker/commands.ts";
import { rememberedEvents } from "./event-ring.ts";
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

/** What a listener is sent before what this node hears from now on. */
export interface Past {
  /** Where it ends. */
  readonly position: string;
  /** Null: some of it is gone. */
  readonly events: readonly Event[] | null;
}

/** Keeps the latest events of every namespace that somebody listens to or listened to a short while ago. */
export interface EventFeed {
  /** After the event of that id when it is still known, else from now on. Null: there is no place for the listener. */
  open(of: PlaceOwner, lastEventId: string | undefined): EventReader | null;
  /** The same where events have positions that every node knows: after what happened before, as far as it is known. */
  openAfter(of: PlaceOwner, past: () => Promise<Past>): Promise<EventReader | null>;
  push(event: Event): void;
  /** Some events after a position are gone, and the next one that is pushed will be `next`. */
  pushGap(namespaceId: string, position: string, next: string): void;
  /** How much is kept, for tests and metrics. */
  size(): { readonly namespaces: number; readonly readers: number; readonly characters: number };
}

export interface FeedLimits {
  readonly eventsPerNamespaceMax: number;
  /** All namespaces together. Whoever has the most loses its oldest first. */
  readonly charactersMax: number;
  /** How long the events of a namespace are kept for listeners that come back. */
  readonly keptMs: number;
}

const usualLimits: FeedLimits = {
  eventsPerNamespaceMax: 10_000,
  charactersMax: 64 * 1024 * 1024,
  keptMs: 5 * 60_000,
};

/** Sent in one piece, so that a thousand events are not a thousand small writes. */
const pieceCharactersMax = 64 * 1024;

interface Kept {
  readonly ring: ReturnType<typeof rememberedEvents>;
  readonly readers: Set<() => void>;
  /** When the last listener left; means something only while there is none. */
  leftAt: number;
}

/** One listener's place, from the moment it asks for one. */
interface Place {
  readonly found: Kept;
  listener: () => void;
  /** Once or more often. */
  leave(): void;
}

export function createEventFeed(
  { now, newId }: { now(): number; newId(): string },
  places: SharedPlaces,
  limits: FeedLimits = usualLimits,
): EventFeed {
  const kept = new Map<string, Kept>();

  function keptOf(namespaceId: string): Kept {
    let found = kept.get(namespaceId);
    if (found === undefined) {
      found = { ring: rememberedEvents(newId(), limits.eventsPerNamespaceMax), readers: new Set(), leftAt: now() };
      kept.set(namespaceId, found);
    }
    return found;
  }

  function forgetUnheard(): void {
    for (const [namespaceId, { readers, leftAt }] of kept) {
      if (readers.size === 0 && leftAt + limits.keptMs < now()) kept.delete(namespaceId);
    }
  }

  function makeRoom(): void {
    while (totalCharacters() > limits.charactersMax) {
      const largest = [...kept.values()].reduce((a, b) => (b.ring.characters() > a.ring.characters() ? b : a));
      largest.ring.dropOldest(Math.ceil(largest.ring.size() / 10));
    }
  }

  function totalCharacters(): number {
    let sum = 0;
    for (const { ring } of kept.values()) sum += ring.characters();
    return sum;
  }

  /** Null: there is none for it. From here on the events of the namespace are kept until the place is left. */
  function enter(of: PlaceOwner): Place | null {
    const taken = places.take(of, now());
    if (taken === null) return null;
    forgetUnheard();
    const found = keptOf(of.namespaceId);
    const place: Place = { found, listener: () => {}, leave };
    const onNews = () => place.listener();
    found.readers.add(onNews);
    function leave(): void {
      if (!found.readers.delete(onNews)) return;
      taken?.leave(now());
      found.leftAt = now();
    }
    return place;
  }

  /** `told`: the position of the last event that the greeting tells of, which this node may hear only later. */
  function read(place: Place, from: number, greeting: string, told: string | null = null): EventReader {
    const { ring } = place.found;
    let next = from;
    let toldUpTo = told;
    return {
      greeting,
      read() {
        if (toldUpTo !== null) {
          next = ring.skip(next, toldUpTo);
          if (next < ring.end()) toldUpTo = null;
        }
        const piece = ring.read(next, pieceCharactersMax);
        if (piece === null) return null;
        next = piece.next;
        return piece.text;
      },
      hasFallenBehind: () => ring.read(next, 0) === null,
      onNews(callback) {
        place.listener = callback;
      },
      close: place.leave,
    };
  }

  function add(namespaceId: string, textOf: (id: string) => string, position?: string, id?: string): void {
    const found = kept.get(namespaceId);
    if (found === undefined) return;
    if (found.readers.size === 0 && found.leftAt + limits.keptMs < now()) {
      kept.delete(namespaceId);
      return;
    }
    found.ring.add(textOf, position, id);
    makeRoom();
    for (const tell of found.readers) tell();
  }

  return {
    open(of, lastEventId) {
      const place = enter(of);
      if (place === null) return null;
      const { ring } = place.found;
      const known = lastEventId === undefined ? null : ring.after(lastEventId);
      const next = known ?? ring.end();
      const isResumed = lastEventId === undefined || known !== null;
      return read(place, next, isResumed ? here(ring.idAt(next)) : resetText(ring.idAt(next), now()));
    },
    async openAfter(of, pastOf) {
      // Before the past is asked for, so that everything after it is heard here.
      const place = enter(of);
      if (place === null) return null;
      try {
        const { position, events } = await pastOf();
        const told = events?.map((event) => eventText(event.position ?? position, event)).join("");
        const greeting = told === undefined ? resetText(position, now()) : here(position) + told;
        const last = events?.at(-1)?.position ?? position;
        return read(place, place.found.ring.afterPosition(last), greeting, last);
      } catch (fault) {
        place.leave();
        throw fault;
      }
    },
    push: (event) => add(event.namespaceId, (id) => eventText(id, event), event.position),
    // It comes as late as the event after it: who was told of that one already has missed nothing.
    pushGap: (namespaceId, position, next) => add(namespaceId, (id) => resetText(id, now()), next, position),
    size: () => ({ namespaces: kept.size, readers: places.taken(), characters: totalCharacters() }),
  };
}

/** An id without data tells where the stream stands, and nothing is dispatched; `retry` is in milliseconds. */
function here(id: string): string {
  return `retry: 2000\nid: ${id}\n\n`;
}
