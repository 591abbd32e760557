import type { Outcome, ReleasePlayer } from "../commands.ts";
import { accept, refuse } from "../outcome.ts";
import { isTaken } from "../records.ts";
import type { State } from "../state.ts";
import { endSeat } from "./end-seat.ts";

/** A player gives up its own seat, reserved or held. Whether it plays is for its lobby to say. */
export function releasePlayer(state: State, command: ReleasePlayer): Outcome<"releasePlayer"> {
  const player = state.players.get(command.playerId);
  if (player?.status === "connected") return refuse("PLAYER_ALREADY_CONNECTED");
  if (player === undefined || !isTaken(player)) return accept({ isChanged: false });

  endSeat(state, player, "released");
  return accept({ isChanged: true });
}
