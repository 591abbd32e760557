import type { Player } from "../records.ts";
import { changePlayer, emitPlayer, type State } from "../state.ts";

/** A connected player dropped and may come back: the seat stays taken until it does, or until the hold ends. */
export function holdSeat(state: State, player: Player): void {
  changePlayer(state, player, { status: "held", heldAt: state.now, isMissing: false });
  emitPlayer(state, "player.held", player);
}

/** The player is back. The seat was never free, so nothing can refuse this. */
export function endHold(state: State, player: Player): void {
  changePlayer(state, player, { status: "connected" });
  emitPlayer(state, "player.returned", player);
}
