import type { LobbyView, StopReason } from "../../matchmaker/commands.ts";
import { constants } from "../../matchmaker/schema.ts";
import { readExit } from "./exit-details.ts";

/** Why a lobby stopped, in words for the operator. Null: it has not stopped. The same on every node. */
export function describeStop(lobby: LobbyView): string | null {
  const { stopReason } = lobby;
  return stopReason === null ? null : (readExit(lobby)?.message ?? causes[stopReason](lobby));
}

const causes: Readonly<Record<StopReason, (lobby: LobbyView) => string>> = {
  self: () => "It called stop.",
  operator: () => "The operator stopped it.",
  crashed: () => "Its process ended.",
  start_failed: () => "It could not be started.",
  namespace_removed: () => "Its namespace was deleted.",
  node_lost: () => "The node that ran it was lost.",
  not_ready: ({ readyMs, waitsFor }) =>
    waitsFor === null
      ? `It did not call ready within ${readyMs / 1000} s.`
      : `It called ready, but within ${readyMs / 1000} s nothing listened on ${waitsFor}.`,
  empty: ({ emptyMs }) => `It was empty for ${emptyMs / 1000} s.`,
  outdated: () => "It was empty, and its version is no longer deployed.",
  silent: ({ heartbeatMs }) =>
    `It sent no heartbeat for more than ${(constants.silentPeriodsMax * heartbeatMs) / 1000} s. timeouts.heartbeat_s of its game mode sets this.`,
};
