import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../matchmaker/commands.ts";

/** A store that hangs must not keep the service open. */
const patienceMs = 10_000;

/** Handles events one after the other; `handle` must not throw. */
export function followEvents(
  events: AsyncIterable<Event>,
  handle: (event: Event) => Promise<void>,
  waitMs = patienceMs,
) {
  const iterator = events[Symbol.asyncIterator]();
  let isIdle = false;
  let handling = Promise.resolve();
  const listening = listen();

  async function listen(): Promise<void> {
    for (;;) {
      isIdle = true;
      const next = await iterator.next();
      isIdle = false;
      if (next.done) return;
      handling = handle(next.value);
      await handling;
    }
  }

  /** An event that has arrived is handled within one turn of the event loop after the one before it. */
  async function untilIdle(isOver: () => boolean): Promise<void> {
    for (await setImmediate(); !isIdle && !isOver(); await setImmediate()) await handling;
  }

  return {
    /** Events that have arrived are handled first, as after a Ctrl-C that ended every lobby; but not for ever. */
    async stop(): Promise<void> {
      const over = new AbortController();
      const timeOut = sleep(waitMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
      let isLate = false;
      const late = timeOut.then(() => {
        isLate = true;
      });
      await Promise.race([untilIdle(() => isLate), late]);
      await iterator.return?.();
      await Promise.race([listening, late]);
      over.abort();
    },
  };
}
