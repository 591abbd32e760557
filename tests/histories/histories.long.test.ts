import { openEmbedded } from "./embedded.ts";
import { histories } from "./histories.suite.ts";

/** More of the same: FOYER_HISTORY_OPERATIONS=5000000 FOYER_HISTORY_SEED=7 npx vitest run --config vitest.long.config.ts tests/histories */
const operations = Number(process.env.FOYER_HISTORY_OPERATIONS ?? 100_000);
const seed = Number(process.env.FOYER_HISTORY_SEED ?? 1);

histories(openEmbedded, { operations, seed });
