import { markdownTable } from "../table.ts";
import type { Exactness } from "./exactness.ts";
import type { Peer } from "./peer.ts";
import type { SpeedResult } from "./speed.ts";
import { type Bar, type BarChart, barChartSvg, themes } from "./svg.ts";

/** Everything that one run gave. */
export interface RunResult {
  /** When, on what and beside what it ran. */
  readonly caption: string;
  readonly speed: readonly SpeedResult[];
  readonly exactness: readonly Exactness[];
}

/** The section of the README that a run writes, and the files of its plots by name. */
export function reportOf(result: RunResult): { markdown: string; plots: ReadonlyMap<string, string> } {
  const charts = chartsOf(result.speed);
  const plots = new Map(
    [...charts].flatMap(([name, chart]) =>
      Object.entries(themes).map(([theme, colors]): [string, string] => [
        `${name}-${theme}.svg`,
        barChartSvg(chart, colors),
      ]),
    ),
  );
  const pictures = [...charts].map(([name, chart]) => pictureOf(name, chart.title));
  const worse = worseThanOthers(result);
  const parts = [
    result.caption,
    speedTable(result.speed),
    ...(result.exactness.length > 0 ? [exactnessTable(result.exactness)] : []),
    "Where Foyer is worse in this run:",
    worse.length > 0 ? worse.map((line) => `- ${line}`).join("\n") : "- in none of these figures.",
    ...pictures,
  ];
  return { markdown: parts.join("\n\n"), plots };
}

const count = (value: number) => value.toLocaleString("en");
const mib = (value: number) => String(Math.round(value));
const roomCounts = (results: readonly SpeedResult[]) => [...new Set(results.map((result) => result.rooms))];
const bareOf = (results: readonly SpeedResult[], rooms: number) =>
  results.find((result) => result.peer.kind === "bare" && result.rooms === rooms)?.speed ?? null;

/** Requests/s as a share of the bare server's in the same turns. */
function ratioOf(results: readonly SpeedResult[], { speed, rooms }: SpeedResult): number | null {
  const base = bareOf(results, rooms);
  return speed === null || base === null ? null : speed.requestsPerSecond / base.requestsPerSecond;
}

function ratioText(ratio: number | null): string {
  if (ratio === null) return "";
  return ratio >= 0.1 ? ratio.toFixed(2) : ratio.toFixed(3);
}

function speedTable(results: readonly SpeedResult[]): string {
  const head = ["peer", "rooms", "requests/s", "to bare", "p50 ms", "p99 ms", "resident MiB", "of Redis", "refused"];
  const rows = roomCounts(results).flatMap((rooms) =>
    results
      .filter((result) => result.rooms === rooms)
      .map((result) => {
        const { peer, speed, memory, cannot } = result;
        if (speed === null || memory === null) return [peer.title, count(rooms), cannot ?? "", ...empty(6)];
        return [
          peer.title,
          count(rooms),
          count(Math.round(speed.requestsPerSecond)),
          ratioText(ratioOf(results, result)),
          speed.p50Ms.toFixed(1),
          speed.p99Ms.toFixed(1),
          mib(memory.server),
          memory.redis === null ? "" : mib(memory.redis),
          speed.failed === 0 ? "0" : `${count(speed.failed)} of ${count(speed.sent)}`,
        ];
      }),
  );
  return markdownTable(head, rows);
}

const empty = (cells: number): string[] => Array.from({ length: cells }, () => "");

function exactnessTable(rows: readonly Exactness[]): string {
  const head = [
    "peer",
    "500 at once: seated",
    "rooms made",
    "twins",
    "overfilled",
    "seconds",
    "vanished: seats still taken",
    "rooms locked",
    "finds into a locked room",
  ];
  return markdownTable(
    head,
    rows.map(({ peer, burst, vanished, locked }) => [
      peer.title,
      ...(burst
        ? [burst.seated, burst.roomsMade, burst.twins, burst.overfilled].map(count).concat(burst.seconds.toFixed(1))
        : empty(5)),
      vanished ? `${count(vanished.leaked)} of ${count(vanished.reserved)}` : "",
      locked ? count(locked.locked) : peer.counts.includes("locked") ? "" : "has no lock",
      locked ? `${count(locked.stale)} of ${count(locked.findsAfter)}` : "",
    ]),
  );
}

/** What two are compared by. */
interface Figure {
  readonly what: string;
  read(result: SpeedResult): number | null;
  readonly isHigherBetter: boolean;
}

const figures: readonly Figure[] = [
  { what: "requests/s", read: ({ speed }) => speed?.requestsPerSecond ?? null, isHigherBetter: true },
  { what: "p99 in ms", read: ({ speed }) => speed?.p99Ms ?? null, isHigherBetter: false },
  { what: "resident MiB, with Redis", read: residentOf, isHigherBetter: false },
];

function residentOf({ memory }: SpeedResult): number | null {
  return memory && memory.server + (memory.redis ?? 0);
}

/** A sentence for each figure in which another is ahead of Foyer: in memory beside in memory, on Redis beside on Redis. */
export function worseThanOthers({ speed, exactness }: RunResult): string[] {
  const peers = [...new Set(speed.map((result) => result.peer))];
  const lines = pairsOf(peers).flatMap(([own, other]) =>
    figures.flatMap((figure) => {
      const places = roomCounts(speed).flatMap((rooms) => placeBehind(speed, own, other, rooms, figure));
      return places.length > 0
        ? [`${figure.what}: ${other.title} is ahead of ${shortOf(own)} ${places.join(", ")}.`]
        : [];
    }),
  );
  const burstOf = (peer: Peer) => exactness.find((row) => row.peer === peer)?.burst?.seconds;
  const slower = pairsOf(exactness.map((row) => row.peer)).flatMap(([own, other]) => {
    const [ours, theirs] = [burstOf(own), burstOf(other)];
    if (ours === undefined || theirs === undefined || theirs >= ours) return [];
    return [`500 at once: ${other.title} has answered all in ${plain(theirs)} s, ${shortOf(own)} in ${plain(ours)} s.`];
  });
  return [...lines, ...slower];
}

/** Each Foyer with each of the others that keep their rooms where it does. */
function pairsOf(peers: readonly Peer[]): [Peer, Peer][] {
  const others = (own: Peer) => peers.filter((peer) => peer.kind === "other" && peer.isOnRedis === own.isOnRedis);
  return peers
    .filter((peer) => peer.kind === "foyer")
    .flatMap((own) => others(own).map((other): [Peer, Peer] => [own, other]));
}

function placeBehind(
  results: readonly SpeedResult[],
  own: Peer,
  other: Peer,
  rooms: number,
  { read, isHigherBetter }: Figure,
): string[] {
  const figureOf = (peer: Peer) => {
    const result = results.find((one) => one.peer === peer && one.rooms === rooms);
    return result ? read(result) : null;
  };
  const [ours, theirs] = [figureOf(own), figureOf(other)];
  if (ours === null || theirs === null || (isHigherBetter ? theirs <= ours : theirs >= ours)) return [];
  return [`with ${count(rooms)} rooms (${plain(theirs)} beside ${plain(ours)})`];
}

const shortOf = (peer: Peer) => peer.title.split(",", 1)[0]!;

const plain = (value: number) => (value >= 100 ? count(Math.round(value)) : value.toFixed(1));

function chartsOf(results: readonly SpeedResult[]): ReadonlyMap<string, BarChart> {
  const chart = (title: string, read: (result: SpeedResult) => number | null, write: (value: number) => string) => ({
    title,
    panels: roomCounts(results).map((rooms) => ({
      title: `${count(rooms)} rooms`,
      bars: results
        .filter((result) => result.rooms === rooms && result.peer.kind !== "bare")
        .map((result): Bar => {
          const value = read(result);
          return {
            label: result.peer.title,
            value,
            text: value === null ? (result.cannot ?? "") : write(value),
            tone: result.peer.kind === "foyer" ? "own" : "other",
          };
        }),
    })),
  });
  return new Map([
    ["speed", chart("Requests/s, as a share of a bare node:http", (result) => ratioOf(results, result), ratioText)],
    [
      "p99",
      chart(
        "99th percentile of the time of a call, in ms",
        (result) => result.speed?.p99Ms ?? null,
        (ms) => ms.toFixed(1),
      ),
    ],
    ["memory", chart("Resident memory in MiB, with Redis", residentOf, mib)],
  ]);
}

const pictureOf = (name: string, title: string) =>
  [
    "<picture>",
    `  <source media="(prefers-color-scheme: dark)" srcset="peers/results/${name}-dark.svg">`,
    `  <img alt="${title}; the figures are in the table above." src="peers/results/${name}-light.svg">`,
    "</picture>",
  ].join("\n");

const begin = "<!-- npm run bench:peers -- --write: from here -->";
const end = "<!-- npm run bench:peers -- --write: to here -->";

/** The README with what is between its two marks replaced. */
export function withSection(readme: string, markdown: string): string {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from === -1 || to < from) throw new Error("benchmarks/README.md has lost the marks between which results go.");
  return `${readme.slice(0, from + begin.length)}\n\n${markdown}\n\n${readme.slice(to)}`;
}
