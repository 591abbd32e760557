import type { Outcome, Restarted } from "../commands.ts";
import { accept } from "../outcome.ts";
import type { State } from "../state.ts";

/** The clocks have started over already: this has to happen before anything that was due meanwhile is done. */
export function restarted(_state: State, _command: Restarted): Outcome<"restarted"> {
  return accept({});
}

/** Moves the deadlines of all lobbies with heartbeats together; each timer follows when it fires. */
export function restartHeartbeats(state: State, now: number): void {
  state.heardFrom = now;
}
