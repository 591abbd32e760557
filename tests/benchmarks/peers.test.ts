import { describe, expect, test } from "vitest";
import { readAnswer, requestText } from "../../benchmarks/peers/client.ts";
import { countBurst, countStale, takenSeats } from "../../benchmarks/peers/count.ts";
import { readOptions } from "../../benchmarks/peers/options.ts";
import type { Peer } from "../../benchmarks/peers/peer.ts";
import { type RunResult, reportOf, withSection, worseThanOthers } from "../../benchmarks/peers/report.ts";
import type { SpeedResult } from "../../benchmarks/peers/speed.ts";
import { barChartSvg, themes } from "../../benchmarks/peers/svg.ts";

const peer = (name: string, more: Partial<Peer> = {}): Peer => ({
  name,
  title: name,
  kind: "other",
  isOnRedis: false,
  counts: [],
  start: () => Promise.reject(new Error("This peer is never started.")),
  ...more,
});

const measured = (of: Peer, requestsPerSecond: number, p99Ms: number, server: number): SpeedResult => ({
  peer: of,
  rooms: 100,
  cannot: null,
  speed: { requestsPerSecond, p50Ms: p99Ms / 2, p99Ms, failed: 0, sent: 1000 },
  memory: { server, redis: of.isOnRedis ? 10 : null },
});

/** Foyer has half of the bare server's requests/s, `fast` more than Foyer, and `none` no rooms at all. */
const result: RunResult = {
  caption: "Some day.",
  speed: [
    measured(peer("bare", { kind: "bare" }), 20_000, 4, 50),
    measured(peer("foyer", { kind: "foyer" }), 10_000, 8, 100),
    measured(peer("fast"), 12_000, 9, 120),
    measured(peer("on-redis", { isOnRedis: true }), 15_000, 1, 60),
    { peer: peer("none"), rooms: 100, cannot: "made 7 rooms", speed: null, memory: null },
  ],
  exactness: [],
};

describe("what a burst came to", () => {
  const rooms = (counts: Record<string, number>) => Object.entries(counts).map(([id, taken]) => ({ id, taken }));
  const players = (counts: Record<string, number>) =>
    Object.entries(counts).flatMap(([id, taken]) => Array.from({ length: taken }, () => id));

  test("full rooms and a last one are as many as are needed", () => {
    const counts = { a: 10, b: 10, c: 5 };
    expect(countBurst(players(counts), rooms(counts), 10)).toEqual({
      players: 25,
      seated: 25,
      roomsMade: 3,
      twins: 0,
      overfilled: 0,
    });
  });

  test("a room beside one with space is a twin, also when no player was sent to it", () => {
    const counted = countBurst(players({ a: 6, b: 4 }), rooms({ a: 6, b: 4, c: 0 }), 10);
    expect(counted).toMatchObject({ seated: 10, roomsMade: 3, twins: 2 });
  });

  test("a room with more players than seats is overfilled, whatever its own count says", () => {
    expect(countBurst(players({ a: 11, b: 3 }), rooms({ a: 10, b: 3 }), 10)).toMatchObject({ overfilled: 1, twins: 0 });
  });

  test("a refused player is not seated", () => {
    expect(countBurst(["a", null, null], rooms({ a: 1 }), 10)).toMatchObject({ players: 3, seated: 1, roomsMade: 1 });
  });
});

test("only finds that were sent after the acknowledgement of that very room are stale", () => {
  const acknowledgedAt = new Map([
    ["a", 10],
    ["b", 20],
  ]);
  const finds = [
    { startedAt: 9, room: "a" },
    { startedAt: 11, room: "a" },
    { startedAt: 15, room: "b" },
    { startedAt: 25, room: "c" },
  ];
  expect(countStale(finds, acknowledgedAt)).toEqual({ locked: 2, findsAfter: 3, stale: 1 });
});

test("the taken seats of all rooms are added up", () => {
  expect(
    takenSeats([
      { id: "a", taken: 3 },
      { id: "b", taken: 4 },
    ]),
  ).toBe(7);
});

describe("the load tool reads answers", () => {
  test("with a length, once all of it is there", () => {
    const whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
    expect(readAnswer(whole.slice(0, -1))).toBeNull();
    expect(readAnswer("HTTP/1.1 200 OK\r\n")).toBeNull();
    expect(readAnswer(whole)).toEqual({ status: 200, body: "body" });
  });

  test("in chunks", () => {
    const head = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(readAnswer(`${head}3\r\nabc\r\n`)).toBeNull();
    expect(readAnswer(`${head}3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n`)).toEqual({
      status: 404,
      body: "abc0123456789",
    });
  });

  test("and writes requests with their length", () => {
    const request = { method: "POST", path: "/find", headers: { a: "b" }, body: "{}" } as const;
    expect(requestText("http://127.0.0.1:80", request)).toBe(
      "POST /find HTTP/1.1\r\nhost: 127.0.0.1\r\na: b\r\ncontent-length: 2\r\n\r\n{}",
    );
  });
});

describe("the command line", () => {
  const names = ["bare", "foyer", "foyer-redis", "colyseus-0.16", "colyseus-0.16-redis"];

  test("without words it means everything", () => {
    expect(readOptions([], names)).toMatchObject({ peers: names, rooms: [100, 1000, 10_000], isWritten: false });
  });

  test("a name stands for its variants", () => {
    const options = readOptions(["colyseus-0.16", "--rooms", "100,200", "--write"], names);
    expect(options).toMatchObject({ peers: names.slice(3), rooms: [100, 200], isLong: false, isWritten: true });
  });

  test("what it does not know is refused", () => {
    expect(readOptions(["colyseus-9"], names)).toContain("no peer colyseus-9");
    expect(readOptions(["--rooms", "5"], names)).toContain("--rooms");
    expect(readOptions(["--rooms"], names)).toContain("--rooms");
  });
});

describe("the report", () => {
  test("compares with the bare server, and says why there are no figures", () => {
    const { markdown, plots } = reportOf(result);
    expect(markdown).toMatch(/\| foyer +\| +100 \| +10,000 \| +0\.50 \| +4\.0 \| +8\.0 \| +100 \|/);
    expect(markdown).toMatch(/\| none +\| +100 \| made 7 rooms \|/);
    expect([...plots.keys()]).toEqual(
      ["speed", "p99", "memory"].flatMap((name) => [`${name}-light.svg`, `${name}-dark.svg`]),
    );
    for (const name of plots.keys()) expect(markdown).toContain(`peers/results/${name}`);
  });

  test("says where another is ahead, and compares in memory with in memory only", () => {
    expect(worseThanOthers(result)).toEqual([
      "requests/s: fast is ahead of foyer with 100 rooms (12,000 beside 10,000).",
    ]);
  });

  test("goes between two marks of the README and leaves the rest", () => {
    const mark = (word: string) => `<!-- npm run bench:peers -- --write: ${word} here -->`;
    const readme = `before\n${mark("from")}\nold\n${mark("to")}\nafter`;
    const written = withSection(readme, "new");
    expect(written).toBe(`before\n${mark("from")}\n\nnew\n\n${mark("to")}\nafter`);
    expect(withSection(written, "new")).toBe(written);
    expect(() => withSection("no marks", "new")).toThrow("marks");
  });
});

test("a plot has a bar for each figure on one scale, and escapes what it writes", () => {
  const bars = [
    { label: "a < b & c", value: 1, text: "1", tone: "own" },
    { label: "d", value: 0.5, text: "0.5", tone: "other" },
    { label: "e", value: null, text: "cannot", tone: "other" },
  ] as const;
  const svg = barChartSvg({ title: "Title", panels: [{ title: "100 rooms", bars }] }, themes.dark);
  expect(svg).toContain("a &lt; b &amp; c");
  expect([...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width))).toEqual([410, 205, 0]);
  expect(svg).toContain(themes.dark.tones.own);
});
