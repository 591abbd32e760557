import type { EngineEvents, PlacedEvent } from "../../engine/engine.ts";
import type { PlaceOwner, SharedPlaces } from "../../ground/shares.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { createEventRing, type EventRing } from "./event-ring.ts";
import type { ShowLobby } from "./show-lobby.ts";
import { eventText, resetText } from "./sse-text.ts";

/** One listener's position in the events of a namespace. */
export interface EventReader {
  /** The text before the first event: the position of the listener, or that it missed events. */
  readonly greeting: string;
  /** The next events as text; "" when there are none yet, null when unread events were dropped. */
  read(): string | null;
  /** Unread events were dropped, so the next read returns null. */
  hasFallenBehind(): boolean;
  /** Nothing follows what was read. Absent for streams of namespaces, which never end. */
  isAtEnd?(): boolean;
  /** Calls back whenever there is something new to read. */
  onNews(listener: () => void): void;
  close(): void;
}

/** Keeps the latest events of every namespace with listeners, as the text that is sent. */
export interface EventFeed {
  /**
   * Starts after the event with that id if all later events are known, else now. Null: there is no slot for the
   * listener.
   */
  open(of: PlaceOwner, lastEventId: string | undefined): Promise<EventReader | null>;
  push(event: PlacedEvent): void;
  /** Some events after a position were lost, and the next one that is pushed will be `next`. */
  pushGap(namespaceId: string, position: string, next: string): void;
  /** How much is kept, for tests and metrics. */
  size(): { readonly namespaces: number; readonly readers: number; readonly characters: number };
}

export interface FeedLimits {
  readonly eventsPerNamespaceMax: number;
  /** The maximum for all namespaces together. Above it, the namespace with the most events loses its oldest. */
  readonly charactersMax: number;
}

const usualLimits: FeedLimits = { eventsPerNamespaceMax: 10_000, charactersMax: 64 * 1024 * 1024 };

/** Sent in one piece, so that a thousand events are not a thousand small writes. */
const pieceCharactersMax = 64 * 1024;
/** More than an engine keeps, so that nothing can be missing between these and the next events. */
const pastMax = 20_000;

/** What a listener gets before the events that this process receives from now on. */
interface Past {
  /** Where it begins. */
  readonly position: string;
  /** Null: some events are no longer kept. */
  readonly events: readonly PlacedEvent[] | null;
}

/** An event as the text that is sent. */
type Write = (event: PlacedEvent) => string;

/** One listener's slot, from its request on. */
interface Place {
  readonly ring: EventRing;
  listener: () => void;
  /** May be called more than once. */
  leave(): void;
}

export function createEventFeed(
  engine: Pick<EngineEvents, "position" | "eventsAfter" | "keepEvents">,
  now: () => number,
  places: SharedPlaces,
  show: ShowLobby,
  limits: FeedLimits = usualLimits,
): EventFeed {
  const rings = createRings(limits);
  /** What cannot be shown, because another Foyer wrote it, counts as lost: an error here would end the service. */
  const write: Write = (event) => {
    try {
      return eventText(event.position, event, show);
    } catch {
      return resetText(event.position, now());
    }
  };

  /** Null: there is no slot. Otherwise the events of the namespace are kept until the slot is released. */
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
      // Before the past is requested, so that this process receives everything after it.
      const place = enter(of);
      if (place === null) return null;
      try {
        const { position, events } = await readPast(of.namespaceId, lastEventId);
        await show.learn(of.namespaceId, lobbiesIn(events ?? []));
        const greeting = events === null ? resetText(position, now()) : hereText(position);
        return readFrom(place, position, events ?? [], greeting, write);
      } catch (error) {
        place.leave();
        throw error;
      }
    },
    push: (event) => rings.add(event.namespaceId, event.position, () => write(event)),
    // It is handled together with the event after it: a listener that already got that event has missed nothing.
    pushGap: (namespaceId, position, next) => rings.add(namespaceId, next, () => resetText(position, now())),
    size: () => ({ ...rings.size(), readers: places.taken() }),
  };
}

function lobbiesIn(events: readonly PlacedEvent[]): LobbyView[] {
  return events.flatMap((event) => ("lobby" in event ? [event.lobby] : []));
}

/** Reads the past in pieces, then what the ring has after it. This process may receive some of the past only later. */
function readFrom(
  place: Place,
  position: string,
  past: readonly PlacedEvent[],
  greeting: string,
  write: Write,
): EventReader {
  const { ring } = place;
  const last = past.at(-1)?.position ?? position;
  let next = ring.findAfter(last);
  let sentUpTo: string | null = last;
  let pastRead = 0;

  function readPiece(): string {
    let text = "";
    for (; pastRead < past.length && text.length < pieceCharactersMax; pastRead++) {
      const event = past[pastRead]!;
      text += write(event);
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

/** The rings of the namespaces with listeners. */
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

/** An id without data sets the position of the stream without an event; `retry` is in milliseconds. */
function hereText(id: string): string {
  return `retry: 2000\nid: ${id}\n\n`;
}
