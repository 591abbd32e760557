import { type Changes, noChanges, takeChanges } from "./changes.ts";
import type { CommandOf, CommandType, Event, Outcome } from "./commands.ts";
import { refuse } from "./outcome.ts";
import { closeRegistered } from "./rules/close-registered.ts";
import { configure } from "./rules/configure.ts";
import { connectPlayer } from "./rules/connect-player.ts";
import { createLobby } from "./rules/create-lobby.ts";
import { disconnectPlayer } from "./rules/disconnect-player.ts";
import { endSeats } from "./rules/end-seats.ts";
import { expire, expireDue } from "./rules/expire.ts";
import { find } from "./rules/find.ts";
import { heartbeat } from "./rules/heartbeat.ts";
import { join } from "./rules/join.ts";
import { placeLobby } from "./rules/place-lobby.ts";
import { releasePlayer } from "./rules/release-player.ts";
import { releaseSeats } from "./rules/release-seats.ts";
import { removeNamespace } from "./rules/remove-namespace.ts";
import { restarted, restartHeartbeats } from "./rules/restarted.ts";
import { setClosed, setOperatorClosed } from "./rules/set-closed.ts";
import { setPorts } from "./rules/set-ports.ts";
import { setReady } from "./rules/set-ready.ts";
import { setState } from "./rules/set-state.ts";
import { stopLobby } from "./rules/stop-lobby.ts";
import type { State } from "./state.ts";

export interface Applied<T extends CommandType> extends Effects {
  readonly outcome: Outcome<T>;
}

export interface Effects {
  /** Stored together, before the outcome is returned. */
  readonly changes: Changes;
  readonly events: readonly Event[];
}

/**
 * One command, whole or not at all: what is due happens first, then the rule, then what the rule made due.
 * A refusal may still have changes: those of what was due.
 */
export function apply<T extends CommandType>(state: State, command: CommandOf<T>): Applied<T> {
  if (command.namespaceId !== state.namespaceId) {
    throw new Error(`A command for namespace ${command.namespaceId} reached namespace ${state.namespaceId}.`);
  }
  if (command.fence !== undefined) {
    if (command.fence < state.fence) return { outcome: refuse("LEASE_LOST"), changes: noChanges, events: [] };
    state.fence = command.fence;
  }
  const now = Math.max(command.now, state.now);
  if (command.type === "restarted") restartHeartbeats(state, now);
  expireDue(state, now);
  const rule: Rule<T> = rules[command.type as T];
  const outcome = rule(state, command);
  expireDue(state, now);
  const { changes, events } = takeEffects(state);
  return { outcome, changes, events };
}

/** The changes and events since the last call. */
export function takeEffects(state: State): Effects {
  const { events } = state;
  state.events = [];
  return { changes: takeChanges(state), events };
}

type Rule<T extends CommandType> = (state: State, command: CommandOf<T>) => Outcome<T>;

const rules: { readonly [T in CommandType]: Rule<T> } = {
  configure,
  find,
  join,
  createLobby,
  setReady,
  setClosed,
  setOperatorClosed,
  closeRegistered,
  endSeats,
  setState,
  setPorts,
  placeLobby,
  heartbeat,
  stopLobby,
  connectPlayer,
  disconnectPlayer,
  releaseSeats,
  releasePlayer,
  expire,
  restarted,
  removeNamespace,
};
