import { describe, expect, test } from "vitest";
import type { Engine, PlacedEvent } from "../../engine/engine.ts";
import { createEventHub } from "../../engine/event-hub.ts";
import { createSharedPlaces } from "../../ground/shares.ts";
import { createLiveEvents } from "./live-events.ts";
import { createShowLobby } from "./show-lobby.ts";

const shownPlainly = createShowLobby(
  () => ({}),
  { identity: async () => null, version: async () => null },
  () => 0,
);

function eventAt(position: string, namespaceId = "a"): PlacedEvent {
  const type = "player.reserved";
  return { type, namespaceId, at: 0, position, lobbyId: "l", playerId: position, status: "reserved" };
}

/** An engine that tells only what is published here, and whose events have come further than that. */
function listening(past: readonly PlacedEvent[], end: string) {
  const hub = createEventHub();
  const gapListeners: Parameters<Engine["onGap"]>[0][] = [];
  // Only what listens to it is made here.
  const engine: Partial<Engine> = {
    events: () => hub.subscribe(),
    read: (async () => [{ namespaceId: "a", nextDueAt: null }]) as unknown as Engine["read"],
    position: async () => end,
    eventsAfter: async () => null,
    latest: async () => past,
    keepEvents: () => () => {},
    onGap(listener) {
      gapListeners.push(listener);
    },
  };
  const lose = (position: string, namespaceId = "a") => {
    for (const listener of gapListeners) listener(namespaceId, position);
  };
  return {
    hub,
    lose,
    liveEvents: createLiveEvents(engine as Engine, () => 0, createSharedPlaces(8), shownPlainly),
  };
}

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise((resolve) => setTimeout(resolve, 20, "not yet"));
  return (await Promise.race([promise, turn])) !== "not yet";
}

describe("events that another node received first", () => {
  test("[TL4] a read waits for the last event that existed when it began, and for no later one", async () => {
    const { hub, liveEvents } = listening([eventAt("5-0")], "10-2");
    const caughtUp = liveEvents.caughtUp("a");
    hub.publish(eventAt("9-9"));
    hub.publish(eventAt("11-0", "b"));
    expect(await isSettled(caughtUp)).toBe(false);
    hub.publish(eventAt("10-2"));
    expect(await isSettled(caughtUp)).toBe(true);
    expect(await isSettled(liveEvents.caughtUp("a"))).toBe(true);
  });

  test("[TL4] what was recalled at the start needs no waiting", async () => {
    const { liveEvents } = listening([eventAt("5-0")], "5-0");
    expect(await isSettled(liveEvents.caughtUp("a"))).toBe(true);
  });

  test("[TL1] what happened while the past was read is in the timeline once", async () => {
    const { hub, liveEvents } = listening([eventAt("5-0")], "6-0");
    hub.publish(eventAt("5-0"));
    hub.publish(eventAt("6-0"));
    await liveEvents.caughtUp("a");
    expect(liveEvents.timelines.size()).toBe(2);
  });

  test("[EV3] lost events are reported at their position, once, to the listeners of the namespace", async () => {
    const { hub, lose, liveEvents } = listening([], "0-0");
    await liveEvents.caughtUp("a");
    const reader = (await liveEvents.feed.open({ namespaceId: "a", tokenId: "t" }, undefined))!;
    const other = (await liveEvents.feed.open({ namespaceId: "b", tokenId: "t" }, undefined))!;
    hub.publish(eventAt("1-0"));
    lose("1-0");
    hub.publish(eventAt("7-0"));
    hub.publish(eventAt("8-0"));
    hub.publish(eventAt("8-0", "b"));
    await isSettled(new Promise(() => {}));
    const told = (text: string | null) =>
      [...(text ?? "").matchAll(/^id: (.+)\nevent: (.+)$/gm)].map(([, id, name]) => [id, name]);
    expect(told(reader.read())).toEqual([
      ["1-0", "player.reserved"],
      ["1-0", "reset"],
      ["7-0", "player.reserved"],
      ["8-0", "player.reserved"],
    ]);
    expect(told(other.read())).toEqual([["8-0", "player.reserved"]]);
  });

  test("[TL4] positions of deleted namespaces are dropped, and a position of one that exists is kept", async () => {
    // The engine has only the namespace "a".
    const { hub, lose, liveEvents } = listening([eventAt("5-0")], "5-0");
    expect(await isSettled(liveEvents.caughtUp("a"))).toBe(true);
    lose("5-0");
    for (let count = 0; count < 3_000; count++) {
      hub.publish(eventAt("5-0", `deleted-${count}`));
      lose("5-0", `lost-${count}`);
      if (count % 100 === 0) await isSettled(new Promise(() => {}));
    }
    expect(liveEvents.size()).toBeLessThan(1_500);
    expect(await isSettled(liveEvents.caughtUp("a"))).toBe(true);
    expect(await isSettled(liveEvents.caughtUp("deleted-0"))).toBe(false);
  });

  test("[TL4] an event that never arrives does not block reads for ever", async () => {
    const { liveEvents } = listening([], "5-0");
    await liveEvents.caughtUp("a");
  });
});
