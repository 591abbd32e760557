import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../load.ts";
import { type Connection, openConnections, requestText } from "./client.ts";
import { CannotStart, type Peer, type RunningPeer, type Setup } from "./peer.ts";

/** Players who ask at the same time, each again as soon as it has its answer. */
export const connections = 64;

/** Rooms are as small as games have them. Large rooms would be unfair: Colyseus goes through all reserved seats of a room. */
export const seatsPerRoom = 10;

/** Seats expire between the turns of a peer. No player ever connects, so that all finds are alike. */
export const reservationS = 2;

interface Speed {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls that got no seat, of all calls in the turns that count. */
  readonly failed: number;
  readonly sent: number;
}

export interface SpeedResult {
  readonly peer: Peer;
  readonly rooms: number;
  /** In words: why there are no figures. */
  readonly cannot: string | null;
  readonly speed: Speed | null;
  readonly memory: { readonly server: number; readonly redis: number | null } | null;
}

export interface Plan {
  readonly warmUpTurns: number;
  readonly turns: number;
}

/** A peer that is running, and what its turns have given so far. */
export interface Runner {
  readonly peer: Peer;
  readonly running: RunningPeer;
  open: Connection[];
  readonly turns: Turn[];
  endedAt: number;
}

interface Turn {
  readonly seconds: number;
  readonly times: readonly number[];
  readonly failed: number;
}

/** Starts each peer. One that does not start must not cost the figures of the others. */
export async function startAll(
  peers: readonly Peer[],
  setup: Setup,
  say: (line: string) => void,
): Promise<{ runners: Runner[]; failures: SpeedResult[] }> {
  const runners: Runner[] = [];
  const failures: SpeedResult[] = [];
  for (const peer of peers) {
    const startedAt = performance.now();
    try {
      const running = await peer.start(setup);
      runners.push({ peer, running, open: [], turns: [], endedAt: 0 });
      say(`${peer.name} has ${setup.rooms} rooms after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    } catch (error) {
      const reason = error instanceof CannotStart ? error.message : `did not start: ${firstLine(error)}`;
      say(`${peer.name} ${reason}`);
      failures.push({ peer, rooms: setup.rooms, cannot: reason, speed: null, memory: null });
    }
  }
  return { runners, failures };
}

const firstLine = (error: unknown) => String(error instanceof Error ? error.message : error).split("\n", 1)[0]!;

export async function stopAll(runners: readonly Runner[]): Promise<void> {
  for (const { running, open } of runners) {
    for (const connection of open) connection.close();
    await running.stop();
  }
}

/** Turns of all peers, again and again, in another order each time: what one leaves to be done meets all the others. */
export async function measureAll(runners: readonly Runner[], setup: Setup, plan: Plan): Promise<SpeedResult[]> {
  const random = createRandom(setup.rooms);
  for (let cycle = -plan.warmUpTurns; cycle < plan.turns; cycle++) {
    for (const runner of shuffled(runners, random)) {
      if (hasEnough(runner)) continue;
      // The seats of its last turn must have expired.
      await sleep(Math.max(0, runner.endedAt + (setup.reservationS + 1) * 1000 - performance.now()));
      const turn = await takeTurn(runner, callsPerTurn(runner.peer, setup));
      if (cycle >= 0 || isSlow(turn)) runner.turns.push(turn);
    }
  }
  return Promise.all(runners.map((runner) => resultOf(runner, setup.rooms)));
}

async function resultOf({ peer, running, turns }: Runner, rooms: number): Promise<SpeedResult> {
  const there = (await running.rooms()).length;
  if (peer.counts.length > 0 && there !== rooms) {
    return { peer, rooms, cannot: `made other rooms: ${there} at the end`, speed: null, memory: null };
  }
  return { peer, rooms, cannot: null, speed: medianOf(turns), memory: await running.residentMiB() };
}

/** Never more than there are seats: no peer makes another room meanwhile. */
function callsPerTurn(peer: Peer, { rooms, seats }: Setup): number {
  const most = connections * 70;
  if (peer.kind === "bare") return most;
  return Math.min(most, Math.floor((rooms * seats * 0.9) / connections) * connections);
}

/** Nothing is asked any more after this time; the answers on the way still count. */
const turnLimitS = 1.5;

const isSlow = (turn: Turn) => turn.seconds >= turnLimitS;

/** A slow peer has fewer turns, and its first ones count: it is not slow for want of warming up. */
function hasEnough({ turns }: Runner): boolean {
  return turns.length >= 3 && turns.reduce((sum, turn) => sum + turn.seconds, 0) >= enoughS;
}

const enoughS = 8;

export async function takeTurn(runner: Runner, calls: number, givesBack = true): Promise<Turn> {
  const { running } = runner;
  runner.open = await openConnections(running.url, connections, runner.open);
  const texts = new Map<unknown, string>();
  const textOf = (index: number) => {
    const request = running.requestOf(index);
    const text = texts.get(request) ?? requestText(running.url, request);
    texts.set(request, text);
    return text;
  };
  const times: number[] = [];
  let failed = 0;
  let next = 0;
  const startedAt = performance.now();
  const askInTurn = async (connection: Connection) => {
    while (next < calls && performance.now() - startedAt < turnLimitS * 1000) {
      const index = next++;
      try {
        const answer = await connection.ask(textOf(index));
        times.push(answer.ms);
        if (running.seatOf(answer, index) === null) failed++;
      } catch {
        failed++;
        return;
      }
    }
  };
  await Promise.all(runner.open.map(askInTurn));
  const seconds = (performance.now() - startedAt) / 1000;
  if (givesBack) await running.afterTurn();
  runner.endedAt = performance.now();
  return { seconds, times, failed };
}

/**
 * What the connections make when they go on without end: each makes one call after the other. Calls divided by the length of
 * the turn would charge a peer for the end of each turn, where few connections wait for its slowest answers.
 */
function requestsPerSecond({ times }: Turn): number {
  return (connections * 1000 * times.length) / times.reduce((sum, ms) => sum + ms, 0);
}

function medianOf(turns: readonly Turn[]): Speed {
  const sorted = turns.map(({ times }) => [...times].sort((a, b) => a - b));
  const median = (values: readonly number[]) =>
    quantile(
      [...values].sort((a, b) => a - b),
      0.5,
    );
  return {
    requestsPerSecond: median(turns.map(requestsPerSecond)),
    p50Ms: median(sorted.map((times) => quantile(times, 0.5))),
    p99Ms: median(sorted.map((times) => quantile(times, 0.99))),
    failed: turns.reduce((sum, turn) => sum + turn.failed, 0),
    sent: turns.reduce((sum, turn) => sum + turn.times.length, 0),
  };
}

/** The same order in each run: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
