import type { Pair } from "../../matchmaker/commands.ts";
import type { Client } from "../callers.ts";
import type { Context } from "../context.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { StartSlot } from "./start-slots.ts";

/** Why no lobby may start now. */
interface StartBlock {
  /** What the rules shall answer where a lobby would have to start. */
  readonly code: "START_FAILED" | "API_RATE_LIMIT";
  /** For players: what it means for them. */
  readonly refusal: Refusal<"MATCHMAKER_LOBBY_START_FAILED" | "API_RATE_LIMIT">;
  /** For the operator: what blocks it, and what helps. Null: the operator's list of lobbies says it, or nothing helps. */
  readonly hint: string | null;
  /** Where slots are short; some may only be held by requests that turn out not to need them. Null: it is not that. */
  readonly shortRegion: string | null;
}

/**
 * Whether one request may start a lobby now, and if not, why and when. For find, create, dry runs and the warm pool. It
 * holds what the lobby needs, so that no other request is promised the same, until it is settled.
 */
export interface StartPermit {
  /**
   * Asks for a lobby of the first of these pairs in which one may start now, and gives that pair. When none may start
   * anywhere it gives the first pair, and `blockedBy` says why. What it held before is given back.
   */
  ask(versionId: string, pairs: readonly Pair[], lobbyId: string): Pair;
  /** What blocks the lobby that was asked for last; null: it may start. */
  blockedBy(): StartBlock | null;
  /** Decides, and decides again each time that what blocked the decision may be gone. Gives the last outcome. */
  retry<T extends object | null>(decide: () => Promise<T>): Promise<T>;
  /** The lobby was made, or will not be. */
  settle(isMade: boolean): void;
}

export interface StartAsker {
  readonly namespaceId: string;
  /** Has a budget of lobbies that it may cause; null: no client's budget counts. */
  readonly client: Client | null;
  /** It only asks what would happen: it holds nothing, and its namespace wants no slot because of it. */
  readonly isPreview?: boolean;
}

/** Slots that other requests only hold are settled in moments; on several nodes, in the time that news takes. */
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

  /** When what blocks the lobby may be gone; null: not soon. */
  function whenFree({ code, shortRegion }: StartBlock): Promise<unknown> | null {
    if (code === "API_RATE_LIMIT") return budget?.whenFree() ?? null;
    if (shortRegion === null) return null;
    waitUntil ??= now() + slotWaitMs;
    const leftMs = waitUntil - now();
    return leftMs > 0 ? slots.whenFree(shortRegion, namespaceId, leftMs) : null;
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
        // Of several reasons the first one counts that may be gone in a moment.
        if (blockedBy === null || (blockedBy.shortRegion === null && found.shortRegion !== null)) blockedBy = found;
      }
      if (blockedBy?.shortRegion && !isPreview) slots.ask(blockedBy.shortRegion, namespaceId);
      return pairs[0]!;
    },
    blockedBy: () => blockedBy,
    async retry(decide) {
      for (;;) {
        const outcome = await decide();
        if (!isDueTo(outcome, blockedBy)) return outcome;
        const free = whenFree(blockedBy);
        if (free === null) {
          if (blockedBy.hint !== null) context.warnOperator(blockedBy.hint);
          return outcome;
        }
        await free;
      }
    },
    settle(isMade) {
      releaseSlot(isMade);
      budget?.settle(isMade);
    },
  };
}

/** Whether an outcome is what `block` leads to: the rules' code, or the refusal itself. */
function isDueTo(outcome: object | null, block: StartBlock | null): block is StartBlock {
  if (outcome === null || block === null) return false;
  return outcome === block.refusal || ("code" in outcome && outcome.code === block.code);
}

/** One request's part of its client's budget. Direct loopback requests have no budget, as they have no rate limits. */
function createBudgetHold({ creationBudget, now }: Context, client: Client, isPreview: boolean) {
  let isHeld = false;
  return {
    /** Null: the client may cause a lobby. A dry run only looks, so that it never blocks a find. */
    hold(): StartBlock | null {
      if (isHeld) return null;
      const retryAfterS = creationBudget.hold(client, now());
      if (retryAfterS > 0) return budgetSpent(retryAfterS);
      if (isPreview) creationBudget.settle(client, false, now());
      else isHeld = true;
      return null;
    },
    /** What this client's other finds only hold may become free; null: it is spent, or a dry run asks. */
    whenFree: () => (isPreview ? null : creationBudget.whenFree(client, now())),
    settle(isUsed: boolean): void {
      if (isHeld) creationBudget.settle(client, isUsed, now());
      isHeld = false;
    },
  };
}

function budgetSpent(retryAfterS: number): StartBlock {
  const message = "This client's finds have caused as many new lobbies as they may in a minute.";
  const refusal = refuse("API_RATE_LIMIT", message, { retryAfterS });
  return { code: "API_RATE_LIMIT", refusal, hint: null, shortRegion: null };
}

/** Null: a lobby of the pair may start. */
function checkStart(context: Context, namespaceId: string, versionId: string, pair: Pair): StartBlock | null {
  const { gate, slots } = context;
  const { gameMode, region } = pair;
  if (!slots.isPossible) {
    const hint = `The game mode ${gameMode} has the process runtime, and FOYER_RUNTIMES leaves that out.`;
    return blockStart(`No lobby of the game mode ${gameMode} can be started here.`, { hint });
  }
  const heldBack = gate.heldBack(versionId, gameMode, context.now());
  if (heldBack) {
    const { consecutiveFailures, retryAfterS } = heldBack;
    const times = consecutiveFailures === 1 ? "once" : `${consecutiveFailures} times in a row`;
    const message = `Lobbies of the game mode ${gameMode} failed ${times}, so none is started just now. The next try is in ${retryAfterS} s.`;
    return blockStart(message, { retryAfterS, metadata: { consecutive_failures: consecutiveFailures } });
  }
  if (slots.hasRoom(region, namespaceId)) return null;
  const message = `There is no room for another lobby of the game mode ${gameMode} just now. Try again shortly.`;
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
  return `The namespace ${namespaceId} has its share of the lobby processes of the region ${region}, and other namespaces want some too. Raise FOYER_MAX_LOBBY_PROCESSES to allow more.`;
}
