import { keyDueAt, lobbyDueAt, playerDueAt } from "./deadlines.ts";
import { addOrdered, type OrderedSet, removeOrdered } from "./ordered-set.ts";
import { type Lobby, lobbyKind, playerKind, type Timed } from "./records.ts";

/** What of a namespace's state the timers need. */
interface TimedState {
  readonly timers: OrderedSet<Timed>;
  readonly lobbies: ReadonlyMap<string, Lobby>;
  readonly heardFrom: number;
}

/** Moves the timer of a record to when something is next due to happen to it. */
export function retime(state: TimedState, record: Timed): void {
  const dueAt = computeDueAt(state, record);
  if (dueAt === record.dueAt) return;
  untime(state, record);
  record.dueAt = dueAt;
  if (dueAt !== Infinity) addOrdered(state.timers, record);
}

export function untime(state: TimedState, record: Timed): void {
  if (record.dueAt !== Infinity) removeOrdered(state.timers, record);
  record.dueAt = Infinity;
}

/** When something is next due to happen to this record, worked out from its facts. */
export function computeDueAt(state: TimedState, record: Timed, heardFrom = state.heardFrom): number {
  if (record.kind === playerKind) return playerDueAt(record, state.lobbies.get(record.lobbyId));
  return record.kind === lobbyKind ? lobbyDueAt(record, heardFrom) : keyDueAt(record);
}

/**
 * True: heartbeat clocks restarted since its timer was set; the timer is moved when it fires, and not together with all
 * others.
 */
export function isTimerMoved(state: TimedState, record: Timed): boolean {
  if (computeDueAt(state, record) === record.dueAt) return false;
  retime(state, record);
  return true;
}
