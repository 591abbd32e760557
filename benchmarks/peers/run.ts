import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { bare } from "./bare.ts";
import { boardgamePeers } from "./boardgame.ts";
import { colyseusPeers } from "./colyseus.ts";
import { countBurstOf, countLocked, countVanished, type Exactness, type Vanished } from "./exactness.ts";
import { foyerPeers } from "./foyer.ts";
import { help, type Options, readOptions } from "./options.ts";
import type { Peer, Setup } from "./peer.ts";
import { type RunResult, reportOf, withSection } from "./report.ts";
import {
  connections,
  measureAll,
  type Plan,
  reservationS,
  type SpeedResult,
  seatsPerRoom,
  startAll,
  stopAll,
} from "./speed.ts";

// What it has started ends with it, but only when it ends in order.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const peers: readonly Peer[] = [bare, ...foyerPeers, ...colyseusPeers, ...boardgamePeers];
const usual: Plan = { warmUpTurns: 4, turns: 8 };

const asked = readOptions(
  process.argv.slice(2),
  peers.map((peer) => peer.name),
);
if (typeof asked === "string") {
  console.error(asked);
  process.exit(2);
} else if (asked.isHelp) {
  console.log(help(peers));
} else {
  const { markdown, plots } = reportOf(await runAll(asked));
  console.log(markdown);
  if (asked.isWritten) write(markdown, plots);
}

async function runAll(options: Options): Promise<RunResult> {
  const chosen = peers.filter((peer) => peer.kind === "bare" || options.peers.includes(peer.name));
  const loadBefore = loadavg()[0]!;
  const startedAt = performance.now();
  const speed: SpeedResult[] = [];
  const vanished = new Map<Peer, Vanished>();
  for (const rooms of options.rooms) {
    speed.push(...(await measureSize(chosen, rooms, options, vanished)));
  }
  const exactness: Exactness[] = [];
  for (const peer of chosen.filter((one) => one.counts.length > 0)) {
    say(`${peer.name}: 500 players at once, and locks`);
    exactness.push({
      peer,
      burst: await unlessFailed(() => countBurstOf(peer)),
      vanished: vanished.get(peer) ?? null,
      locked: peer.counts.includes("locked") ? await unlessFailed(() => countLocked(peer)) : null,
    });
  }
  return { caption: captionOf(options, loadBefore, startedAt), speed, exactness };
}

/** One peer that fails must not cost the figures of the others; what failed is said, and its cells stay empty. */
async function unlessFailed<T>(count: () => Promise<T>): Promise<T | null> {
  try {
    return await count();
  } catch (error) {
    say(String(error));
    return null;
  }
}

/** All peers with so many rooms, in turn. At the first size players also vanish. */
async function measureSize(
  chosen: readonly Peer[],
  rooms: number,
  options: Options,
  vanished: Map<Peer, Vanished>,
): Promise<SpeedResult[]> {
  const setup: Setup = { rooms, seats: seatsPerRoom, reservationS };
  const { runners, failures } = await startAll(chosen, setup, say);
  try {
    const turns = options.isLong ? usual.turns * 3 : usual.turns;
    const results = await measureAll(runners, setup, { ...usual, turns });
    if (vanished.size === 0) {
      const counted = runners.filter(({ peer }) => peer.counts.includes("vanished"));
      for (const [peer, count] of await countVanished(counted, setup)) vanished.set(peer, count);
    }
    say(`${rooms} rooms: measured`);
    return chosen.flatMap((peer) => [...results, ...failures].filter((result) => result.peer === peer));
  } finally {
    await stopAll(runners);
  }
}

function captionOf(options: Options, loadBefore: number, startedAt: number): string {
  const today = new Date().toISOString().slice(0, 10);
  const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, Node ${process.versions.node}`;
  const load = `load ${loadBefore.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after`;
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(0);
  const turns = options.isLong ? usual.turns * 3 : usual.turns;
  return `${today}, ${machine}, ${load}. One run of ${minutes} minutes: ${connections} connections, ${turns} turns of each peer, medians.`;
}

function write(markdown: string, plots: ReadonlyMap<string, string>): void {
  const readme = new URL("../README.md", import.meta.url);
  writeFileSync(readme, withSection(readFileSync(readme, "utf8"), markdown));
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of plots) writeFileSync(new URL(name, folder), svg);
}

/** Standard output is for the tables alone. */
function say(line: string): void {
  console.error(line);
}
