import { describe, expect, test } from "vitest";
import type { PlacedEvent } from "../../engine/engine.ts";
import { createEventHub } from "../../engine/event-hub.ts";
import type { EventReader } from "../live/event-feed.ts";
import { createBoard, type ListedLobbies } from "./board.ts";
import { createBoards } from "./boards.ts";
import { createWatchSlots } from "./slots.ts";

const listed = (lobbies: Record<string, string>, isTruncated = false): ListedLobbies => ({
  lobbies: new Map(Object.entries(lobbies)),
  isTruncated,
});
const all = { gameMode: null, region: null };

function readAll(reader: EventReader): string | null {
  let text = "";
  for (;;) {
    const piece = reader.read();
    if (piece === null) return null;
    if (piece === "") return text;
    text += piece;
  }
}

describe("a board", () => {
  test("[WA1] the snapshot is one event, given in pieces, and says when there are more lobbies", () => {
    const board = createBoard();
    const big = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`l${i}`, JSON.stringify({ i, pad: "x".repeat(200) })]),
    );
    board.show(listed(big, true));
    const reader = board.read(() => {});
    const pieces: string[] = [];
    for (let piece = reader.read(); piece; piece = reader.read()) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70 * 1024);
    const [, event, data] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(pieces.join(""))!;
    expect(event).toBe("snapshot");
    expect(JSON.parse(data!)).toMatchObject({ is_truncated: true });
    expect(JSON.parse(data!).lobbies).toHaveLength(1000);
  });

  test("[WA2] [FZ3] one event of each kind for everything that is different, none when nothing is", () => {
    const board = createBoard();
    board.show(listed({ a: '"a"', b: '"b"' }));
    const reader = board.read(() => {});
    readAll(reader);
    board.show(listed({ a: '"a"', b: '"b"' }));
    expect(readAll(reader)).toBe("");
    board.show(listed({ b: '"B"', c: '"c"' }));
    expect(readAll(reader)).toBe(
      'event: removed\ndata: {"event":"removed","lobby_ids":["a"]}\n\n' +
        'event: added\ndata: {"event":"added","lobbies":["c"]}\n\n' +
        'event: changed\ndata: {"event":"changed","lobbies":["B"]}\n\n',
    );
  });

  test("[WA6] a reader that falls behind what is kept is cut off; one that comes back gets a snapshot", () => {
    const board = createBoard();
    board.show(listed({ a: "0" }));
    const [slow, fast] = [board.read(() => {}), board.read(() => {})];
    readAll(slow);
    for (let i = 1; i <= 40; i++) {
      board.show(listed({ a: String(i) }));
      expect(readAll(fast)).not.toBeNull();
    }
    expect(slow.hasFallenBehind()).toBe(true);
    expect(readAll(slow)).toBeNull();
    expect(readAll(board.read(() => {}))).toBe(
      'event: snapshot\ndata: {"event":"snapshot","lobbies":[40],"is_truncated":false}\n\n',
    );
    expect(board.characters()).toBeLessThan(2_000);
  });

  test("[WA6] large changes are kept for a shorter time", () => {
    const board = createBoard();
    for (let i = 0; i <= 10; i++) board.show(listed({ a: JSON.stringify(`${i}${"x".repeat(700_000)}`) }));
    expect(board.characters()).toBeLessThan(1_048_576);
  });
});

describe("boards", () => {
  function setUp(list: (namespaceId: string) => Promise<ListedLobbies>) {
    const hub = createEventHub();
    const calls: string[] = [];
    const errors: unknown[] = [];
    let onGap: (namespaceId: string, position: string) => void = () => {};
    const boards = createBoards({
      engine: {
        events: (isWanted) => hub.subscribe(isWanted),
        onGap(listener) {
          onGap = listener;
        },
      },
      list(namespaceId, { gameMode }) {
        calls.push(`${namespaceId} ${gameMode}`);
        return list(namespaceId);
      },
      steadyNow: () => performance.now(),
      onError: (error) => errors.push(error),
      everyMs: 5,
    });
    const happens = (namespaceId: string, gameMode: string) =>
      hub.publish({
        type: "lobby.changed",
        namespaceId,
        at: 0,
        position: "1-0",
        lobby: { gameMode, region: "r" },
      } as PlacedEvent);
    return { boards, calls, errors, happens, gap: (namespaceId: string) => onGap(namespaceId, "0-0") };
  }

  const nextNews = (reader: EventReader) => new Promise<void>((resolve) => reader.onNews(resolve));

  test("[WA6] the list is computed once for all watchers of one namespace and filter, and only when it may have changed", async () => {
    let version = 0;
    const { boards, calls, happens } = setUp(async () => listed({ a: String(version) }));
    const readers = await Promise.all(Array.from({ length: 50 }, () => boards.open("n", all)));
    const ofMode = await boards.open("n", { gameMode: "duel", region: null });
    expect([boards.size(), calls.sort()]).toEqual([2, ["n duel", "n null"]]);
    version = 1;
    const heard = Promise.all(readers.map(nextNews));
    for (let i = 0; i < 20; i++) happens("n", "other");
    happens("elsewhere", "duel");
    await heard;
    expect(calls.length).toBeLessThanOrEqual(4);
    expect(calls.filter((call) => call === "n duel")).toHaveLength(1);
    for (const reader of [...readers, ofMode]) reader.close();
    expect(boards.size()).toBe(0);
  });

  test("[WA6] events that were missed lead to another look", async () => {
    let version = 0;
    const { boards, gap } = setUp(async () => listed({ a: String(version) }));
    const reader = await boards.open("n", all);
    version = 1;
    const heard = nextNews(reader);
    gap("n");
    await heard;
    expect(readAll(reader)).toContain("event: changed");
    reader.close();
  });

  test("[WA6] a list that cannot be read refuses who asks for the first time, and is tried again for the others", async () => {
    let isAway = false;
    let version = 0;
    const { boards, errors, happens } = setUp(async () => {
      if (isAway) throw new Error("away");
      return listed({ a: String(version) });
    });
    const reader = await boards.open("n", all);
    isAway = true;
    await expect(boards.open("other", all)).rejects.toThrow("away");
    expect(boards.size()).toBe(1);
    version = 1;
    const heard = nextNews(reader);
    happens("n", "duel");
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    isAway = false;
    await heard;
    reader.close();
  });
});

test("[WA4] slots are limited per client, per /48, per namespace and in all, and given back once", () => {
  const slots = createWatchSlots({ all: 30, perNamespace: 20, perClient: 2 });
  const client = (id: string, network: string | null = null) => ({ id, network });
  const [first] = [slots.take("n", client("a")), slots.take("n", client("a"))];
  expect(slots.take("n", client("a"))).toBeNull();
  expect(slots.take("other", client("a"))).toBeNull();
  first!();
  first!();
  expect(slots.taken()).toBe(1);
  expect(slots.take("n", client("a"))).not.toBeNull();
  const inNetwork = Array.from({ length: 9 }, (_, i) => slots.take("n", client(`v6-${i}`, "net")));
  expect(inNetwork.filter((slot) => slot === null)).toHaveLength(1);
  const inNamespace = Array.from({ length: 20 }, (_, i) => slots.take("n", client(`b-${i}`)));
  expect(inNamespace.filter((slot) => slot !== null)).toHaveLength(10);
  const elsewhere = Array.from({ length: 20 }, (_, i) => slots.take("other", client(`c-${i}`)));
  expect(elsewhere.filter((slot) => slot !== null)).toHaveLength(10);
  expect(slots.taken()).toBe(30);
});
