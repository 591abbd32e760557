import { isWithin } from "../client-ranges.ts";
import type { EndSeats, Outcome } from "../commands.ts";
import { orderedFrom } from "../ordered-set.ts";
import { accept } from "../outcome.ts";
import { compareIds } from "../records.ts";
import { constants } from "../schema.ts";
import type { State } from "../state.ts";
import { endSeat } from "./end-seat.ts";

const { lobbiesPerStepMax, seatsPerStepMax } = constants;

/** Of the lobbies after a place, the taken seats of blocked clients end. The last lobby is always looked at whole. */
export function endSeats(state: State, { range, after }: EndSeats): Outcome<"endSeats"> {
  let [lobbies, seats, ended] = [0, 0, 0];
  for (const lobby of orderedFrom(state.lobbiesById, (other) => after !== null && other.id <= after)) {
    seats += lobby.players.length;
    for (const player of lobby.players.filter(({ clientId }) => isWithin(clientId, range)).sort(compareIds)) {
      endSeat(state, player, "left", "blocked");
      ended += 1;
    }
    lobbies += 1;
    if (lobbies === lobbiesPerStepMax || seats >= seatsPerStepMax) return accept({ ended, next: lobby.id });
  }
  return accept({ ended, next: null });
}
