import type { Pair } from "../../matchmaker/commands.ts";
import type { Client } from "../callers.ts";
import type { Context } from "../context.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { StartSlot } from "./start-slots.ts";

/** Why no lobby may start now. */
interface StartBlock {
  /** The answer of the rules where a lobby would have to start. */
  readonly code: "START_FAILED" | "API_RATE_LIMIT";
  /** The message for players. */
  readonly refusal: Refusal<"MATCHMAKER_LOBBY_START_FAILED" | "API_RATE_LIMIT">;
  /**
   * The message for the operator: what blocks it, and what to do. Null: the operator's list of lobbies shows it, or
   * nothing helps.
   */
  readonly hint: string | null;
  /** Where slots are short; some may be held by requests that turn out not to need them. Null: another reason. */
  readonly shortRegion: string | null;
}

/**
 * Whether one request may start a lobby now, and if not, why and when. For find, create, dry runs and the warm pool. It
 * holds the slot and budget of the lobby until it is settled, so that no other request gets the same.
 */
export interface StartPermit {
  /**
   * Requests a lobby of the first of these pairs that may start one now, and returns that pair. If none may, it returns
   * the first pair, and `blockedBy` says why. Releases what it held before.
   */
  ask(versionId: string, pairs: readonly Pair[], lobbyId: string): Pair;
  /** What blocks the last requested lobby; null: it may start. */
  blockedBy(): StartBlock | null;
  /** Decides, and decides again whenever the block may be over. Returns the last outcome. */
  retry<T extends object | null>(decide: () => Promise<T>): Promise<T>;
  /** The lobby was created, or will not be. */
  settle(isMade: boolean): void;
}

export interface StartAsker {
  readonly namespaceId: string;
  /** Has a budget of lobbies that it may create; null: no budget applies. */
  readonly client: Client | null;
  /** A dry run: it holds nothing, and does not count as a request for a slot. */
  readonly isPreview?: boolean;
}

/** Slots that other requests hold are settled within moments; with several nodes, within the time of their reports. */
const slotWaitMs = 5_000;

export function createStartPermit(context: Context, asker: StartAsker): StartPermit {
  const { slots, now } = context;
  const { namespaceId, isPreview = false } = asker;
  const budget = asker.client?.isLimited ? createBudgetHold(context, asker.client, isPreview) : null;
  let slot: StartSlot | null = null;
  let blockedBy: StartBlock | null = null;
  let waitUntil: number | null = null;

  function releaseSlot(isMade: boolean): void {
    slot?.settle(isMade);
    slot = null;
  }

  /** When the block may be over; null: not soon. */
  function whenFree({ code, shortRegion }: StartBlock): Promise<unknown> | null {
    if (code === "API_RATE_LIMIT") return budget?.whenFree() ?? null;
    if (shortRegion === null) return null;
    waitUntil ??= now() + slotWaitMs;
    const leftMs = waitUntil - now();
    return leftMs > 0 ? slots.whenFree(shortRegion, namespaceId, leftMs) : null;
  }

  async function decideAgain<T extends object | null>(first: T, decide: () => Promise<T>): Promise<T> {
    for (let outcome = first; ; outcome = await decide()) {
      if (!isDueTo(outcome, blockedBy)) return outcome;
      const free = whenFree(blockedBy);
      if (free === null) {
        if (blockedBy.hint !== null) context.warnOperator(blockedBy.hint);
        return outcome;
      }
      await free;
    }
  }

  return {
    ask(versionId, pairs, lobbyId) {
      releaseSlot(false);
      blockedBy = null;
      for (const pair of pairs) {
        const found = checkStart(context, namespaceId, versionId, pair);
        if (found === null) {
          blockedBy = budget?.hold() ?? null;
          if (!blockedBy && !isPreview) slot = slots.hold(pair.region, namespaceId, lobbyId);
          return pair;
        }
        // Of several reasons, the first one that may soon be over counts.
        if (blockedBy === null || (blockedBy.shortRegion === null && found.shortRegion !== null)) blockedBy = found;
      }
      if (blockedBy?.shortRegion && !isPreview) slots.ask(blockedBy.shortRegion, namespaceId);
      return pairs[0]!;
    },
    blockedBy: () => blockedBy,
    // Not async: nothing blocks most decisions, and every find pays for a promise.
    retry: (decide) =>
      decide().then((outcome) => (isDueTo(outcome, blockedBy) ? decideAgain(outcome, decide) : outcome)),
    settle(isMade) {
      releaseSlot(isMade);
      budget?.settle(isMade);
    },
  };
}

/** Whether an outcome results from `block`: the rules' code, or the refusal itself. */
function isDueTo(outcome: object | null, block: StartBlock | null): block is StartBlock {
  if (outcome === null || block === null) return false;
  return outcome === block.refusal || ("code" in outcome && outcome.code === block.code);
}

/**
 * The part of the client's budget that one request holds. Direct loopback requests have no budget, as they have no rate
 * limits.
 */
function createBudgetHold({ creationBudget, now }: Context, client: Client, isPreview: boolean) {
  let isHeld = false;
  return {
    /** Null: the client may create a lobby. A dry run holds nothing, so that it never blocks a find. */
    hold(): StartBlock | null {
      if (isHeld) return null;
      const retryAfterS = creationBudget.hold(client, now());
      if (retryAfterS > 0) return budgetSpent(retryAfterS);
      if (isPreview) creationBudget.settle(client, false, now());
      else isHeld = true;
      return null;
    },
    /**
     * Budget that other finds of this client hold may become free; null: the budget is used up, or this is a dry run.
     */
    whenFree: () => (isPreview ? null : creationBudget.whenFree(client, now())),
    settle(isUsed: boolean): void {
      if (isHeld) creationBudget.settle(client, isUsed, now());
      isHeld = false;
    },
  };
}

function budgetSpent(retryAfterS: number): StartBlock {
  const message = "This client has reached its limit of new lobbies per minute.";
  const refusal = refuse("API_RATE_LIMIT", message, { retryAfterS });
  return { code: "API_RATE_LIMIT", refusal, hint: null, shortRegion: null };
}

/** Null: a lobby of the pair may start. */
function checkStart(context: Context, namespaceId: string, versionId: string, pair: Pair): StartBlock | null {
  const { gate, slots } = context;
  const { gameMode, region } = pair;
  if (!slots.isPossible) {
    const hint = `The game mode ${gameMode} has the process runtime, and FOYER_RUNTIMES does not include it.`;
    return blockStart(`No lobby of the game mode ${gameMode} can be started here.`, { hint });
  }
  const heldBack = gate.heldBack(versionId, gameMode, context.now());
  if (heldBack) {
    const { consecutiveFailures, retryAfterS } = heldBack;
    const times = consecutiveFailures === 1 ? "once" : `${consecutiveFailures} times in a row`;
    const message = `Lobbies of the game mode ${gameMode} failed ${times}, so Foyer starts no more now. It tries again in ${retryAfterS} s.`;
    return blockStart(message, { retryAfterS, metadata: { consecutive_failures: consecutiveFailures } });
  }
  if (slots.hasRoom(region, namespaceId)) return null;
  const message = `There is no free slot for another lobby of the game mode ${gameMode} now. Try again shortly.`;
  return blockStart(message, {
    retryAfterS: 5,
    hint: explainShortage(context, namespaceId, region),
    shortRegion: region,
  });
}

function blockStart(
  message: string,
  { hint, shortRegion, ...more }: Partial<Pick<StartBlock, "hint" | "shortRegion">> & Parameters<typeof refuse>[2],
): StartBlock {
  const refusal = refuse("MATCHMAKER_LOBBY_START_FAILED", message, more);
  return { code: "START_FAILED", refusal, hint: hint ?? null, shortRegion: shortRegion ?? null };
}

function explainShortage({ slots }: Context, namespaceId: string, region: string): string {
  if (!slots.hasFreeSlot(region)) return slots.describeShortage(region);
  return `The namespace ${namespaceId} has its share of the lobby slots of the region ${region}, and other namespaces need slots too. Raise FOYER_MAX_LOBBY_PROCESSES to allow more.`;
}
