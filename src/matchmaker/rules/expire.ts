import type { Expire, Outcome } from "../commands.ts";
import { emptyDueAt, readyDueAt } from "../deadlines.ts";
import { firstOrdered } from "../ordered-set.ts";
import { accept } from "../outcome.ts";
import { isTaken, keyKind, type Lobby, type Player, playerKind, type Timed } from "../records.ts";
import {
  changeLobby,
  emitLobby,
  nextDueAt,
  nextExpiryAt,
  putNamespace,
  removeKey,
  removeLobby,
  removePlayer,
  type State,
} from "../state.ts";
import { isTimerMoved } from "../timers.ts";
import { endSeat } from "./end-seat.ts";
import { retireLobbies } from "./retire-lobbies.ts";
import { endLobby } from "./stop-lobby.ts";

/** Everything due has been done before any rule runs, this one included. */
export function expire(state: State, command: Expire): Outcome<"expire"> {
  if (command.isRetiring === true) retireLobbies(state);
  const dueAt = nextDueAt(state);
  return accept({ nextDueAt: dueAt === Infinity ? null : dueAt });
}

/**
 * Does everything that is due by `now`, in the order of its deadlines and as of each deadline,
 * so that it makes no difference who notices first, when, or how often someone looks.
 */
export function expireDue(state: State, now: number): void {
  let record = firstOrdered(state.timers);
  while (record !== undefined && record.dueAt <= now) {
    state.now = Math.max(state.now, record.dueAt);
    if (!isTimerMoved(state, record)) expireRecord(state, record);
    record = firstOrdered(state.timers);
  }
  state.now = Math.max(state.now, now);
  if (nextExpiryAt(state) <= now) putNamespace(state, null);
}

function expireRecord(state: State, record: Timed): void {
  if (record.kind === playerKind) expirePlayer(state, record);
  else if (record.kind === keyKind) removeKey(state, record);
  else expireLobby(state, record);
}

function expirePlayer(state: State, player: Player): void {
  if (isTaken(player)) endSeat(state, player, player.status === "held" ? "not_returned" : "expired");
  else removePlayer(state, player);
}

function expireLobby(state: State, lobby: Lobby): void {
  if (lobby.status === "stopped") removeLobby(state, lobby);
  else if (readyDueAt(lobby) <= state.now) endLobby(state, lobby, "not_ready", null);
  else if (emptyDueAt(lobby) <= state.now) endLobby(state, lobby, lobby.pool.isDeployed ? "empty" : "outdated", null);
  else if (lobby.silentSince !== null) endLobby(state, lobby, "silent", null);
  else fallSilent(state, lobby);
}

function fallSilent(state: State, lobby: Lobby): void {
  changeLobby(state, lobby, { silentSince: state.now });
  emitLobby(state, "lobby.changed", lobby);
}
