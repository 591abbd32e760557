import { createRandom } from "../histories/load.ts";

/** Everything that one sequence of requests leaves to chance; the same seed makes the same choices. */
export interface Chance {
  /** True so often of 100. */
  percent(share: number): boolean;
  /** A whole number from 0 to below this. */
  below(limit: number): number;
  pick<T>(choices: readonly T[]): T;
}

export function createChance(seed: number, sequence: number): Chance {
  const next = createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(sequence + 1, 0x85ebca6b));
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    percent: (share) => next() * 100 < share,
    below,
    pick(choices) {
      if (choices.length === 0) throw new Error("There is nothing to choose from.");
      // Cast: the index is below the length.
      return choices[below(choices.length)] as (typeof choices)[number];
    },
  };
}
