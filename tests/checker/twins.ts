import { closingsOf, isSurelyOpen } from "./closing.ts";
import {
  type Admission,
  type Closing,
  hasSeats,
  type Making,
  type Operation,
  type Options,
  push,
  type Seat,
  seatsOf,
  type Violation,
} from "./history.ts";

/**
 * [I9] [I14] A find that was refused, or that made a lobby, although there was one that surely fitted during the whole call:
 * made before, open, and with enough free seats however the calls around it were decided.
 */
export function checkTwins(history: readonly Operation[], options: Options): Violation[] {
  const lost = new Map<string, Admission[]>();
  for (const operation of history) {
    // A call without an answer may have taken seats in any lobby of its pool.
    if ("seats" in operation && operation.outcome === "lost") push(lost, operation.pool, operation);
  }
  const pools = livesOf(history, options);
  const making = new Map(
    [...pools.values()].flat().flatMap(({ made }) => (made.madeBy ? [[made.madeBy, made] as const] : [])),
  );

  return history.flatMap((find) => {
    if (find.type !== "find" || find.isReplay || find.outcome === "lost") return [];
    const own = making.get(find);
    if (find.outcome === "ok" && own === undefined) return [];
    const unsure = (lost.get(find.pool) ?? []).filter(({ start }) => start < find.end);
    const lostSeats = unsure.reduce((sum, admission) => sum + admission.seats, 0);
    const fit = (pools.get(find.pool) ?? []).find(
      ({ made, until, closings, seats }) =>
        made.end <= find.start &&
        until >= find.end &&
        made !== own &&
        takenAtMost(seats, find) + lostSeats + find.seats <= made.capacity &&
        isSurelyOpen(made, find, closings),
    )?.made;
    if (fit === undefined) return [];
    const what = own === undefined ? "was refused" : `made lobby ${own.lobbyId}`;
    const message = `A find ${what} although lobby ${fit.lobbyId} had room.`;
    return [{ rule: own === undefined ? 9 : 14, message, operations: [fit, find] }];
  });
}

/** Everything about one lobby that decides whether a find could have been given it. */
interface Life {
  readonly made: Making;
  /** Nothing that could stop it began before. */
  readonly until: number;
  readonly closings: readonly Closing[];
  readonly seats: SeatTimes | undefined;
}

function livesOf(history: readonly Operation[], options: Options): Map<string, Life[]> {
  const closings = closingsOf(history);
  const seats = seatTimes(seatsOf(history, options));
  const stops = new Map<string, number>();
  for (const operation of history) {
    if (operation.type !== "stop" || operation.outcome === "refused") continue;
    stops.set(operation.lobbyId, Math.min(operation.start, stops.get(operation.lobbyId) ?? Infinity));
  }
  const pools = new Map<string, Life[]>();
  for (const made of history) {
    if (made.type !== "make" || made.outcome !== "ok") continue;
    const { lobbyId } = made;
    const until = stops.get(lobbyId) ?? Infinity;
    push(pools, made.pool, { made, until, closings: closings.get(lobbyId) ?? [], seats: seats.get(lobbyId) });
  }
  return pools;
}

/** When seats of a lobby may first have been taken, and when they were surely free again, each in order. */
interface SeatTimes {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function seatTimes(seats: readonly Seat[]): Map<string, SeatTimes> {
  const groups = new Map<string, Seat[]>();
  for (const seat of seats) push(groups, seat.lobbyId, seat);
  const ascending = (a: number, b: number) => a - b;
  return new Map(
    [...groups].map(([lobbyId, group]) => [
      lobbyId,
      {
        starts: group.map(({ admission }) => admission.start).sort(ascending),
        ends: group.map(({ freeFrom }) => freeFrom).sort(ascending),
      },
    ]),
  );
}

/** No more seats than this can have been taken at any moment of the call. */
function takenAtMost(times: SeatTimes | undefined, call: Admission): number {
  if (times === undefined) return 0;
  return countBelow(times.starts, call.end) - countBelow(times.ends, call.start);
}

function countBelow(sorted: readonly number[], bound: number): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** [I14] When nothing was there before, finds for s seats in lobbies of c make exactly ⌈s/c⌉ of them (parties of one). */
export function checkStampede(history: readonly Operation[], capacity: number): Violation[] {
  const seated = history.filter(hasSeats).filter(({ type }) => type === "find");
  const lobbies = new Set(seated.map(({ lobbyId }) => lobbyId));
  const wanted = Math.ceil(seated.length / capacity);
  if (lobbies.size === wanted) return [];
  const message = `${seated.length} finds for lobbies of ${capacity} are in ${lobbies.size} lobbies, not ${wanted}.`;
  return [{ rule: 14, message, operations: seated }];
}
