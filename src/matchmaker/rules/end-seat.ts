import type { PlayerEvent, SeatStatus } from "../commands.ts";
import type { Player } from "../records.ts";
import { changePlayer, emitPlayer, type State } from "../state.ts";

/** Ends a taken seat; it is remembered for a while, so that late calls get an exact answer. */
export function endSeat(
  state: State,
  player: Player,
  status: Exclude<SeatStatus, "reserved" | "connected" | "held">,
  reason?: PlayerEvent["reason"],
): void {
  changePlayer(state, player, { status, endedAt: state.now, isMissing: false });
  emitPlayer(state, status === "expired" ? "player.expired" : "player.left", player, reason);
}
