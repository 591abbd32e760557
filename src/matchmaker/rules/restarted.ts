import type { Outcome, Restarted } from "../commands.ts";
import { accept } from "../outcome.ts";
import type { State } from "../state.ts";

/** The clocks have started over already: this has to happen before anything that was due meanwhile is done. */
export function restarted(_state: State, _command: Restarted): Outcome<"restarted"> {
  return accept({});
}

/** Moves the deadline of every lobby with heartbeats at once; the timers follow when they ring. */
export function restartHeartbeats(state: State, now: number): void {
  state.heardFrom = now;
}
