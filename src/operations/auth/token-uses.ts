import type { Db } from "../../store/db.ts";
import { recordTokenUse } from "../../store/tokens.ts";

/** Collects when tokens were last used and saves it regularly, so that no request waits for that. */
export interface TokenUses {
  note(tokenId: string, now: number): void;
  /** The later of the stored time and the unsaved time. */
  latest(tokenId: string, stored: number | null): number | null;
  flush(): Promise<void>;
}

export function createTokenUses(db: Db): TokenUses {
  let pending = new Map<string, number>();
  /** Kept until the next save: a list of tokens may have been read before these were saved. */
  let written: ReadonlyMap<string, number> = new Map();

  return {
    note(tokenId, now) {
      pending.set(tokenId, now);
    },
    latest(tokenId, stored) {
      const noted = pending.get(tokenId) ?? written.get(tokenId);
      return noted === undefined ? stored : Math.max(noted, stored ?? 0);
    },
    async flush() {
      if (pending.size === 0) return;
      const uses = pending;
      written = uses;
      pending = new Map();
      try {
        await recordTokenUse(db, uses);
      } catch (error) {
        for (const [tokenId, ts] of uses) if (!pending.has(tokenId)) pending.set(tokenId, ts);
        throw error;
      }
    },
  };
}
