import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnections, requestText } from "./client.ts";
import { type BurstCount, countBurst, countStale, type LockCount, type TimedFind, takenSeats } from "./count.ts";
import type { Peer, RunningPeer, Setup } from "./peer.ts";
import { connections, type Runner, takeTurn } from "./speed.ts";

/** What is counted from outside, beside speed. Null: the peer has no such thing. */
export interface Exactness {
  readonly peer: Peer;
  readonly burst: (BurstCount & { readonly seconds: number }) | null;
  readonly vanished: Vanished | null;
  readonly locked: LockCount | null;
}

export interface Vanished {
  readonly reserved: number;
  /** Seats that are still taken when the time of each reservation is over. */
  readonly leaked: number;
}

const burstSetup: Setup = { rooms: 0, seats: 10, reservationS: 60 };
const burstPlayers = 500;

/** Rooms so large that none is full before it is locked. */
const lockSetup: Setup = { rooms: 50, seats: 500, reservationS: 60 };
const roomsToLock = 40;

const vanishingPlayers = 500;

/** How much longer than its time a seat may take to be free: more than any peer's own rounding. */
const graceS = 3;

/** All at once on an empty house, with a connection each. */
export async function countBurstOf(peer: Peer): Promise<BurstCount & { readonly seconds: number }> {
  const running = await peer.start(burstSetup);
  let open: Connection[] = [];
  try {
    open = await openConnections(running.url, burstPlayers);
    const startedAt = performance.now();
    // A player whose connection ends without an answer has no seat either.
    const sentTo = await Promise.all(open.map((connection) => running.seat(connection).catch(() => null)));
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...countBurst(sentTo, await running.rooms(), burstSetup.seats), seconds };
  } finally {
    for (const connection of open) connection.close();
    await running.stop();
  }
}

/** Players who reserve and never connect. The peers have been measured before, with all the seats that took. */
export async function countVanished(runners: readonly Runner[], setup: Setup): Promise<Map<Peer, Vanished>> {
  const wait = () => sleep((setup.reservationS + graceS) * 1000);
  await wait();
  const reserved = new Map<Runner, number>();
  for (const runner of runners) {
    const { times, failed } = await takeTurn(runner, vanishingPlayers, false);
    reserved.set(runner, times.length - failed);
  }
  await wait();
  const counted = new Map<Peer, Vanished>();
  for (const [{ peer, running }, players] of reserved) {
    counted.set(peer, { reserved: players, leaked: takenSeats(await running.rooms()) });
  }
  return counted;
}

/** Finds go on all the time while rooms are locked one after the other, each as soon as a find has named it. */
export async function countLocked(peer: Peer): Promise<LockCount> {
  const running = await peer.start(lockSetup);
  let open: Connection[] = [];
  try {
    open = await openConnections(running.url, connections);
    const finds: TimedFind[] = [];
    const acknowledgedAt = new Map<string, number>();
    let isOver = false;
    const players = Promise.all(open.map((connection) => findUntil(running, connection, finds, () => isOver)));
    const giveUpAt = performance.now() + 30_000;
    while (acknowledgedAt.size < roomsToLock && performance.now() < giveUpAt) {
      const room = finds.at(-1)?.room;
      if (room === undefined || acknowledgedAt.has(room)) {
        await sleep(1);
        continue;
      }
      await running.lock(room);
      acknowledgedAt.set(room, performance.now());
    }
    await sleep(100);
    isOver = true;
    await players;
    return countStale(finds, acknowledgedAt);
  } finally {
    for (const connection of open) connection.close();
    await running.stop();
  }
}

async function findUntil(
  running: RunningPeer,
  connection: Connection,
  finds: TimedFind[],
  isOver: () => boolean,
): Promise<void> {
  const text = requestText(running.url, running.requestOf(0));
  while (!isOver()) {
    const answer = await connection.ask(text);
    const room = running.seatOf(answer, 0);
    if (room !== null) finds.push({ startedAt: answer.startedAt, room });
  }
}
