import type { Context } from "../context.ts";
import type { StartObstacle } from "./start-refusal.ts";
import type { StartSlot } from "./start-slots.ts";

/** Places that other requests only hold are settled in moments; on several nodes, in the time that news takes. */
const waitMs = 5_000;

/** One request's share of the room for new lobbies: it holds a place while its lobby may be made. */
export interface StartRoom {
  /** Call it before each plan: what an earlier one held is given back. */
  planAnew(): void;
  /** The plan may make this lobby, and nothing stands in the way. */
  hold(region: string, lobbyId: string): void;
  /** The plan may make none, because of this. */
  lacks(obstacle: StartObstacle, region: string): void;
  /** Worth planning anew then; null: the plan was not short of room, or nothing will change about it. */
  whenRoom(): Promise<void> | null;
  /** What stood in the way of the last plan. The operator is told too, who can do something about it. */
  refusal(): StartObstacle["refusal"] | null;
  settle(isMade: boolean): void;
}

/** `isPreview`: who only asks what would happen wants no place. */
export function createStartRoom(
  { slots, now, tellOperator }: Context,
  namespaceId: string,
  { isPreview = false } = {},
): StartRoom {
  let place: StartSlot | null = null;
  let lacking: { readonly obstacle: StartObstacle; readonly region: string } | null = null;
  let waitUntil: number | null = null;

  function settle(isMade: boolean): void {
    place?.settle(isMade);
    place = null;
  }

  return {
    planAnew() {
      settle(false);
      lacking = null;
    },
    hold(region, lobbyId) {
      place = slots.hold(region, namespaceId, lobbyId);
    },
    lacks(obstacle, region) {
      lacking = { obstacle, region };
      if (obstacle.isShortage && !isPreview) slots.ask(region, namespaceId);
    },
    whenRoom() {
      if (!lacking?.obstacle.isShortage) return null;
      waitUntil ??= now() + waitMs;
      const leftMs = waitUntil - now();
      return leftMs > 0 ? slots.whenFree(lacking.region, namespaceId, leftMs) : null;
    },
    refusal() {
      if (lacking?.obstacle.detail) tellOperator(lacking.obstacle.detail);
      return lacking?.obstacle.refusal ?? null;
    },
    settle,
  };
}
