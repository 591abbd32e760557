import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { crowdedFrom, requestWaitMaxMs, startsPerTurnMax } from "../ground/limits.ts";

/**
 * The gate in front of the handlers. Every request waits here, and so does the work on every large body. Four rules:
 *
 * 1. Turns. When the event loop has taken what had come, at most 16 begin. The others wait in the lines of their clients, and
 *    the clients take turns: one of each, round and round.
 * 2. Full. While the service has no room, nothing new begins. Probes, requests for lobbies and bodies of requests that have
 *    begun are urgent: they need no room. What has waited for 2 s when its turn comes is late, and its answer is 503.
 * 3. Unread. While 128 wait, a connection whose request was answered is read again only when there is room for what it
 *    brings, in the order in which they were answered; one in each turn always is.
 * 4. One at a time. A connection has one request here. connections.ts sees to that.
 */
export interface Gate {
  /** Calls `begin` in the turn of the client; never, if the connection ends before. */
  wait(client: string, socket: Socket, begin: Begin, isUrgent: boolean): void;
  /** The request is answered, and its connection stays open for the next one. */
  leave(answered: IncomingMessage): void;
  /** Foyer stops: all that waits begins, and every connection is read. */
  stop(): void;
  waitingCount(): number;
  unreadCount(): number;
}

type Begin = (isLate: boolean) => void;

interface Waiting {
  readonly socket: Socket;
  readonly since: number;
  readonly begin: Begin;
}

/** Late ones and those whose connection has ended cost little, so a turn may pass more of them than it begins. */
const passedPerTurnMax = 64;
/** How often the gate looks whether there is room again. */
const lookEveryMs = 5;

/** `hasNoRoom`: whether the service is full (docs/decisions/0023). */
export function createGate(hasNoRoom: () => boolean): Gate {
  const ordinary = createLines();
  const urgent = createLines();
  const unread: Socket[] = [];
  let isScheduled = false;
  let isStopping = false;

  const waitingCount = () => ordinary.count() + urgent.count();
  const isFull = () => !isStopping && hasNoRoom();

  function schedule(isBlocked = false): void {
    if (isScheduled) return;
    isScheduled = true;
    if (isBlocked) setTimeout(takeTurns, lookEveryMs);
    else setImmediate(takeTurns);
  }

  function takeTurns(): void {
    isScheduled = false;
    let begun = 0;
    const lateSince = performance.now() - requestWaitMaxMs;
    for (let passed = 0; begun < startsPerTurnMax && passed < passedPerTurnMax && waitingCount() > 0; passed++) {
      const isForUrgent = urgent.count() > 0 && (passed % 2 === 0 || ordinary.count() === 0);
      const next = isForUrgent ? urgent.take() : takeOrdinary(lateSince);
      if (next === null || next.socket.destroyed) continue;
      const isLate = !isForUrgent && next.since <= lateSince;
      if (!isLate) begun += 1;
      next.begin(isLate);
    }
    for (let room = Math.max(1, crowdedFrom - waitingCount()); room > 0 && unread.length > 0; room--) read();
    if (waitingCount() > 0 || unread.length > 0) schedule(begun === 0);
  }

  /** While there is no room, only what is late has its turn. */
  const takeOrdinary = (lateSince: number) => (isFull() ? ordinary.takeIfSince(lateSince) : ordinary.take());

  const read = () => unread.shift()!.resume();

  return {
    waitingCount,
    unreadCount: () => unread.length,
    wait(client, socket, begin, isUrgent) {
      (isUrgent ? urgent : ordinary).add(client, { socket, since: performance.now(), begin });
      schedule();
    },
    leave({ socket, complete }) {
      // The rest of a body that was not waited for has to be read. A connection that closes brings nothing more.
      const isOver = !complete || socket.destroyed || !socket.writable;
      if (isStopping || isOver || waitingCount() < crowdedFrom) return;
      socket.pause();
      unread.push(socket);
    },
    stop() {
      isStopping = true;
      while (unread.length > 0) read();
    },
  };
}

interface Line {
  readonly client: string;
  readonly waiting: Waiting[];
}

/** What waits, by client, in the order of the clients' turns. */
function createLines() {
  const lines = new Map<string, Line>();
  const order: Line[] = [];
  let count = 0;

  function take(): Waiting {
    const line = order.shift()!;
    const next = line.waiting.shift()!;
    if (line.waiting.length > 0) order.push(line);
    else lines.delete(line.client);
    count -= 1;
    return next;
  }

  return {
    count: () => count,
    add(client: string, waiting: Waiting): void {
      count += 1;
      const known = lines.get(client);
      if (known) return void known.waiting.push(waiting);
      const line = { client, waiting: [waiting] };
      lines.set(client, line);
      order.push(line);
    },
    /** The next in turn. One has to wait. */
    take,
    /** The next in turn if it has waited since then; otherwise null, and its client is the last. */
    takeIfSince(since: number): Waiting | null {
      const [line] = order;
      if (line!.waiting[0]!.since <= since) return take();
      order.push(order.shift()!);
      return null;
    },
  };
}
