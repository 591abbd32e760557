/**
 * A history is what the clients of a lobby server saw: each call with the time at which it was sent and the time at which
 * its answer came, both from one monotonic clock. When in between the server decided is unknown, and so the checkers only
 * call something a violation if no moment within these intervals explains it: they never cry wolf.
 */
export type Operation = Admission | Making | Closing | SeatCall | Ending;

interface Call {
  readonly start: number;
  /** Infinity: no answer came, so the call may have had its effect at any time after the start, or never. */
  readonly end: number;
  /** `lost`: whether it had an effect is not known. */
  readonly outcome: "ok" | "refused" | "lost";
}

/** A call that takes seats: `find` lets the server choose, `join` names the lobby, `create` makes one. */
export interface Admission extends Call {
  readonly type: "find" | "join" | "create";
  readonly clientId: string;
  /** How many seats were asked for. */
  readonly seats: number;
  /** What a find looks for; only lobbies of the same pool can be its answer. */
  readonly pool: string;
  /** Null unless it succeeded. */
  readonly lobbyId: string | null;
  readonly playerIds: readonly string[];
  /** The same answer again for the same idempotency key: no seats were taken and no lobby was chosen. */
  readonly isReplay?: boolean;
}

/** A lobby came to be, open and empty. Finds and creates that make one are to be followed by one of these. */
export interface Making extends Call {
  readonly type: "make";
  readonly lobbyId: string;
  readonly pool: string;
  /** Finds fill it to `capacity`, joins to `directCapacity`. */
  readonly capacity: number;
  readonly directCapacity: number;
  /** The find that made it, if it was one. */
  readonly madeBy?: Admission;
  readonly isPrivate?: boolean;
}

export interface Closing extends Call {
  readonly type: "close" | "open";
  readonly lobbyId: string;
}

/** `drop`: the lobby reports that the player may come back, so that a connected seat is held. */
export interface SeatCall extends Call {
  readonly type: "connect" | "disconnect" | "drop";
  readonly lobbyId: string;
  readonly playerId: string;
}

/** The lobby stops, and its seats end with it. */
interface Ending extends Call {
  readonly type: "stop";
  readonly lobbyId: string;
}

export interface Violation {
  /** The number of the promise: see the README. */
  readonly rule: number;
  readonly message: string;
  readonly operations: readonly Operation[];
}

export interface Options {
  /** How long a seat is held without a connect; a seat may have ended by itself after this. */
  readonly reservationMs: number;
  /** How long the seat of a dropped player is held; 0 or absent: it ends at once. */
  readonly reconnectMs?: number;
}

/** One seat, and when it was surely taken. */
export interface Seat {
  readonly playerId: string;
  readonly lobbyId: string;
  readonly clientId: string;
  readonly admission: Admission;
  /** From here on it was surely taken: the admission's answer had come. */
  readonly from: number;
  /** Until here it was surely taken: nothing that could end it had begun. */
  readonly until: number;
  /** After this it was surely free again; Infinity: never. */
  readonly freeFrom: number;
}

const isAdmission = (operation: Operation): operation is Admission =>
  operation.type === "find" || operation.type === "join" || operation.type === "create";

export const isSeatCall = (operation: Operation): operation is SeatCall =>
  operation.type === "connect" || operation.type === "disconnect" || operation.type === "drop";

export const hasSeats = (operation: Operation): operation is Admission =>
  isAdmission(operation) && operation.outcome === "ok" && !operation.isReplay;

/** Every seat that was given, with what is sure about it. */
export function seatsOf(history: readonly Operation[], { reservationMs, reconnectMs = 0 }: Options): Seat[] {
  const calls = new Map<string, SeatCall[]>();
  const stops = new Map<string, Ending[]>();
  for (const operation of history) {
    if (isSeatCall(operation)) push(calls, operation.playerId, operation);
    if (operation.type === "stop") push(stops, operation.lobbyId, operation);
  }
  return history.filter(hasSeats).flatMap((admission) =>
    admission.playerIds.map((playerId) => {
      const lobbyId = admission.lobbyId!;
      const own = calls.get(playerId) ?? [];
      const ends = [...own.filter(({ type }) => type === "disconnect"), ...(stops.get(lobbyId) ?? [])];
      const possible = ends.filter(({ outcome }) => outcome !== "refused");
      const isConnected = own.some(({ type, outcome }) => type === "connect" && outcome === "ok");
      const expiry = isConnected ? Infinity : admission.start + reservationMs;
      // A held seat is taken: nothing but the end of the hold may free it.
      const drops = own.filter(({ type, outcome }) => type === "drop" && outcome !== "refused");
      const notReturned = drops.map(({ start }) => start + reconnectMs);
      return {
        playerId,
        lobbyId,
        clientId: admission.clientId,
        admission,
        from: admission.end,
        until: Math.min(expiry, ...notReturned, ...possible.map(({ start }) => start)),
        freeFrom: Math.min(Infinity, ...ends.filter(({ outcome }) => outcome === "ok").map(({ end }) => end)),
      };
    }),
  );
}

export function push<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/** The most of these intervals that hold at one moment, and one such moment. An interval that ends where another begins does not meet it. */
export function mostAtOnce(intervals: readonly { from: number; until: number }[]): { most: number; at: number } {
  const edges = intervals
    .filter(({ from, until }) => from < until)
    .flatMap(({ from, until }) => [
      { at: from, by: 1 },
      { at: until, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let now = 0;
  let best = { most: 0, at: 0 };
  for (const { at, by } of edges) {
    now += by;
    if (now > best.most) best = { most: now, at };
  }
  return best;
}
