import type { PlacedEvent } from "./engine.ts";

/** Passes events to the listeners in this process, in order. */
export interface EventHub {
  publish(event: PlacedEvent): void;
  /** Gets every wanted event that is published after this call. */
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
  /** Resolves a waiting call with the next event. */
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
    // Not async: this runs once per event and listener.
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
      // A call that waits for the next event ends.
      listener.end();
      return { done: true, value: undefined };
    },
  };
  return { listener, events: { [Symbol.asyncIterator]: () => iterator } };
}
