import type { Event } from "../../matchmaker/commands.ts";

/** Hands events to whoever listens in this process, in order. */
export interface EventHub {
  publish(event: Event): void;
  /** Hears everything that is published from this call on. */
  subscribe(group: string | undefined): AsyncIterable<Event>;
  close(): void;
}

interface Listener {
  push(event: Event): void;
  end(): void;
}

export function createEventHub(): EventHub {
  const everyone = new Set<Listener>();
  const groups = new Map<string, Listener[]>();
  let isClosed = false;

  /** One namespace's events go to one member as long as the group stays the same, so that they keep their order. */
  function publishToGroup(members: readonly Listener[], event: Event): void {
    members[hash(event.namespaceId) % members.length]?.push(event);
  }

  function leave(listener: Listener, group: string | undefined, unheard: readonly Event[]): void {
    everyone.delete(listener);
    if (group === undefined) return;
    const members = (groups.get(group) ?? []).filter((member) => member !== listener);
    if (members.length === 0) groups.delete(group);
    else groups.set(group, members);
    for (const event of unheard) publishToGroup(members, event);
  }

  return {
    publish(event) {
      for (const listener of everyone) listener.push(event);
      for (const members of groups.values()) publishToGroup(members, event);
    },
    subscribe(group) {
      const queue = createQueue((listener, unheard) => leave(listener, group, unheard));
      if (isClosed) queue.listener.end();
      else if (group === undefined) everyone.add(queue.listener);
      else groups.set(group, [...(groups.get(group) ?? []), queue.listener]);
      return queue.events;
    },
    close() {
      isClosed = true;
      for (const listener of [...everyone, ...[...groups.values()].flat()]) listener.end();
    },
  };
}

function createQueue(onLeave: (listener: Listener, unheard: readonly Event[]) => void) {
  let queue: Event[] = [];
  let isEnded = false;
  /** Gives whoever waits what comes next. */
  let hand: ((result: IteratorResult<Event>) => void) | null = null;
  const listener: Listener = {
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

  const iterator: AsyncIterator<Event> = {
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
      const unheard = queue;
      queue = [];
      onLeave(listener, unheard);
      // Whoever waits for the next event hears that there is none.
      listener.end();
      return { done: true, value: undefined };
    },
  };
  return { listener, events: { [Symbol.asyncIterator]: () => iterator } };
}

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) >>> 0;
  return sum;
}
