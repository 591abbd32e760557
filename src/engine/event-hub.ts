import type { PlacedEvent } from "./engine.ts";

/** Hands events to whoever listens in this process, in order. */
export interface EventHub {
  publish(event: PlacedEvent): void;
  /** Hears everything that is published from this call on and wanted. */
  subscribe(isWanted?: IsWanted): AsyncIterable<PlacedEvent>;
  close(): void;
}

type IsWanted = (event: PlacedEvent) => boolean;

interface Listener {
  isWanted: IsWanted | undefined;
  push(event: PlacedEvent): void;
  end(): void;
}

export function createEventHub(): EventHub {
  const listeners = new Set<Listener>();
  let isClosed = false;

  return {
    publish(event) {
      for (const listener of listeners) {
        if (listener.isWanted === undefined || listener.isWanted(event)) listener.push(event);
      }
    },
    subscribe(isWanted) {
      const queue = createQueue(isWanted, (listener) => listeners.delete(listener));
      if (isClosed) queue.listener.end();
      else listeners.add(queue.listener);
      return queue.events;
    },
    close() {
      isClosed = true;
      for (const listener of listeners) listener.end();
    },
  };
}

function createQueue(isWanted: IsWanted | undefined, onLeave: (listener: Listener) => void) {
  let queue: PlacedEvent[] = [];
  let isEnded = false;
  /** Gives whoever waits what comes next. */
  let hand: ((result: IteratorResult<PlacedEvent>) => void) | null = null;
  const listener: Listener = {
    isWanted,
    push(event) {
      const waiting = hand;
      hand = null;
      if (waiting === null) queue.push(event);
      else waiting({ done: false, value: event });
    },
    end() {
      isEnded = true;
      hand?.({ done: true, value: undefined });
      hand = null;
    },
  };

  const iterator: AsyncIterator<PlacedEvent> = {
    // Not async: every event goes through here once for each listener.
    next() {
      const event = queue.shift();
      if (event !== undefined) return Promise.resolve({ done: false, value: event });
      if (isEnded) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => {
        hand = resolve;
      });
    },
    async return() {
      queue = [];
      onLeave(listener);
      // Whoever waits for the next event hears that there is none.
      listener.end();
      return { done: true, value: undefined };
    },
  };
  return { listener, events: { [Symbol.asyncIterator]: () => iterator } };
}
