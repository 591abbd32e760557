import { expect, test } from "vitest";
import type { Event } from "../matchmaker/commands.ts";
import { followEvents } from "./follow-events.ts";

/** Events that have arrived, and then none until the listener leaves. */
async function* arrived(count: number): AsyncGenerator<Event> {
  for (let made = 0; made < count; made++) yield { type: "namespace.configured", namespaceId: `${made}` } as Event;
  await new Promise(() => {});
}

/** As the engine's: leaving ends a wait for the next event. */
function leavable(events: AsyncGenerator<Event>): AsyncIterable<Event> {
  let leave = () => {};
  const left = new Promise<IteratorResult<Event>>((resolve) => {
    leave = () => resolve({ done: true, value: undefined });
  });
  const next = () => Promise.race([events.next(), left]);
  const end = async () => {
    leave();
    return left;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

test("what has arrived is handled before the end, one after the other", async () => {
  const handled: string[] = [];
  const following = followEvents(leavable(arrived(50)), async ({ namespaceId }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    handled.push(namespaceId);
  });
  await following.stop();
  expect(handled).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
});

test("an event that is never handled does not keep the service from ending", async () => {
  const following = followEvents(leavable(arrived(2)), () => new Promise(() => {}), 50);
  await expect(following.stop()).resolves.toBeUndefined();
});
