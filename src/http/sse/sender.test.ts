import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { EventReader } from "../../operations/live/event-feed.ts";
import { startSending } from "./sender.ts";

const timing = { heartbeatEveryMs: 15_000, stalledMs: 30_000 };

/** A client that takes what it is sent only when told to. */
function createClient() {
  const received: string[] = [];
  let take: (() => void) | null = null;
  let isReading = true;
  const out = new Writable({
    highWaterMark: 10,
    write(chunk: Buffer, _encoding, done) {
      received.push(chunk.toString());
      if (isReading) done();
      else take = () => done();
    },
  });
  return {
    out,
    received,
    stopReading: () => (isReading = false),
    readOn() {
      isReading = true;
      take?.();
    },
  };
}

/** A feed with room for three events. */
function createReader() {
  const kept: string[] = [];
  let first = 0;
  let next = 0;
  let tell = () => {};
  const reader: EventReader = {
    greeting: "hello\n\n",
    read() {
      if (next < first) return null;
      const text = kept.slice(next - first).join("");
      next = first + kept.length;
      return text;
    },
    hasFallenBehind: () => next < first,
    onNews(listener) {
      tell = listener;
    },
    close: () => {},
  };
  const happen = (text: string) => {
    kept.push(text);
    if (kept.length > 3) {
      kept.shift();
      first += 1;
    }
    tell();
  };
  return { reader, happen };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("sending events", () => {
  test("events of one turn go out together, after the greeting", async () => {
    const { out, received } = createClient();
    const { reader, happen } = createReader();
    startSending(out, reader, { ...timing, now: () => 0 });
    happen("a");
    happen("b");
    await turn();
    happen("c");
    await turn();
    expect(received).toEqual(["hello\n\n", "ab", "c"]);
  });

  test("[EV5] nothing is queued for a client that does not read, and it continues where it was", async () => {
    const { out, received, stopReading, readOn } = createClient();
    const { reader, happen } = createReader();
    startSending(out, reader, { ...timing, now: () => 0 });
    stopReading();
    happen("0123456789");
    await turn();
    for (const text of ["a", "b", "c"]) happen(text);
    await turn();
    expect(received).toEqual(["hello\n\n", "0123456789"]);
    readOn();
    await turn();
    expect(received.at(-1)).toBe("abc");
    expect(out.destroyed).toBe(false);
  });

  test("[EV5] a client that falls behind what is kept is cut off", async () => {
    const { out, stopReading } = createClient();
    const { reader, happen } = createReader();
    startSending(out, reader, { ...timing, now: () => 0 });
    stopReading();
    happen("0123456789");
    await turn();
    for (const text of ["a", "b", "c"]) happen(text);
    await turn();
    expect(out.destroyed).toBe(false);
    happen("d");
    await turn();
    expect(out.destroyed).toBe(true);
  });

  test("[RT17] a stream that has an end is ended when everything is sent", async () => {
    const { out, received, stopReading, readOn } = createClient();
    const { reader, happen } = createReader();
    let isOver = false;
    startSending(out, { ...reader, isAtEnd: () => isOver }, { ...timing, now: () => 0 });
    stopReading();
    happen("0123456789");
    await turn();
    isOver = true;
    happen("the end");
    await turn();
    expect(out.writableEnded).toBe(false);
    readOn();
    await turn();
    expect(received).toEqual(["hello\n\n", "0123456789", "the end"]);
    expect(out.writableEnded).toBe(true);
  });

  test("[EV5] [EV7] a quiet stream sends keep-alives; a client that reads nothing for long is disconnected", async () => {
    const { out, received, stopReading } = createClient();
    const { reader, happen } = createReader();
    let now = 0;
    const sender = startSending(out, reader, { ...timing, now: () => now });
    for (now of [14_999, 15_000, 20_000, 29_999, 30_000]) sender.tick(now);
    expect(received).toEqual(["hello\n\n", ":\n\n", ":\n\n"]);
    stopReading();
    happen("0123456789");
    await turn();
    for (now of [45_000, 59_999]) sender.tick(now);
    expect(received.at(-1)).toBe("0123456789");
    expect(out.destroyed).toBe(false);
    sender.tick(60_000);
    expect(out.destroyed).toBe(true);
  });
});
