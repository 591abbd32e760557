import { isWithin } from "../client-ranges.ts";
import type { EndSeats, Outcome } from "../commands.ts";
import { orderedFrom } from "../ordered-set.ts";
import { accept } from "../outcome.ts";
import { compareIds } from "../records.ts";
import type { State } from "../state.ts";
import { endSeat } from "./end-seat.ts";

/** So much is looked at in one command, so that nobody else waits for long. The last lobby is always looked at whole. */
const lobbiesMax = 500;
const seatsMax = 2_000;

/** Of the lobbies after a place, the taken seats of blocked clients end. */
export function endSeats(state: State, { range, after }: EndSeats): Outcome<"endSeats"> {
  let [lobbies, seats, ended] = [0, 0, 0];
  for (const lobby of orderedFrom(state.lobbiesById, (other) => after !== null && other.id <= after)) {
    seats += lobby.players.length;
    for (const player of lobby.players.filter(({ clientId }) => isWithin(clientId, range)).sort(compareIds)) {
      endSeat(state, player, "left", "blocked");
      ended += 1;
    }
    lobbies += 1;
    if (lobbies === lobbiesMax || seats >= seatsMax) return accept({ ended, next: lobby.id });
  }
  return accept({ ended, next: null });
}
