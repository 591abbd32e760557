import type { Engine } from "../engine/engine.ts";
import type { NewLobby, Pair } from "../matchmaker/commands.ts";
import { collectErrors } from "./collect-errors.ts";

interface WarmPlan {
  readonly lobby: NewLobby;
  readonly revision: number;
  readonly fence?: number;
  /** Releases the slot that was held for the lobby. */
  settle(isMade: boolean): void;
}

/**
 * Builds a lobby of the deployed version for a pair; null: nothing is deployed, the version no longer has the pair, or
 * it cannot be started now. Its codes are `longerBy` symbols longer than usual.
 */
export type PlanWarm = (namespaceId: string, pair: Pair, longerBy: number) => Promise<WarmPlan | null>;

/**
 * Creates lobbies ahead of need wherever fewer are idle than the deployed version wants. The rules decide; this only
 * sends commands, and only for namespaces with a warm pool: most have none, and this runs twice a second.
 */
export function createKeepIdle(
  engine: Engine,
  now: () => number,
  plan: PlanWarm,
  wantsIdle: (namespaceId: string) => Promise<boolean>,
): () => Promise<void> {
  async function fill(namespaceId: string, pair: Pair, missing: number): Promise<void> {
    for (let count = 0; count < missing; count++) {
      // No longer needed, too many lobbies, or another version meanwhile: the next round uses the state of that time.
      if (!(await createOne(namespaceId, pair))) return;
    }
  }

  /** Whether a lobby was made. */
  async function createOne(namespaceId: string, pair: Pair): Promise<boolean> {
    for (let longerBy = 0; ; longerBy++) {
      const planned = await plan(namespaceId, pair, longerBy);
      if (!planned) return false;
      const { settle, ...plannedLobby } = planned;
      const command = { namespaceId, now: now(), ...plannedLobby, clientId: null, playerIds: [], idempotency: null };
      let isMade = false;
      try {
        const outcome = await engine.execute({ type: "createLobby", reason: "warm", ...command });
        isMade = outcome.ok;
        if (outcome.ok || outcome.code !== "CODES_TAKEN") return isMade;
      } finally {
        settle(isMade);
      }
    }
  }

  async function fillAll(namespaceId: string): Promise<void> {
    if (!(await wantsIdle(namespaceId))) return;
    const pairs = await engine.read({ type: "missingIdle", namespaceId, now: now() });
    for (const { gameMode, region, missing } of pairs) await fill(namespaceId, { gameMode, region }, missing);
  }

  return async () => {
    const errors = collectErrors();
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      await fillAll(namespaceId).catch(errors.add);
    }
    errors.throwFirst();
  };
}
