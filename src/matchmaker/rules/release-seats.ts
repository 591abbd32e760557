import type { Outcome, ReleaseSeats } from "../commands.ts";
import { accept } from "../outcome.ts";
import type { State } from "../state.ts";
import { endSeat } from "./end-seat.ts";

/** Only reserved seats end: a player that has connected meanwhile plays on. */
export function releaseSeats(state: State, command: ReleaseSeats): Outcome<"releaseSeats"> {
  let released = 0;
  for (const playerId of command.playerIds) {
    const player = state.players.get(playerId);
    if (player?.status !== "reserved") continue;
    endSeat(state, player, "released");
    released += 1;
  }
  return accept({ released });
}
