import { openEmbedded } from "./embedded.ts";
import { histories } from "./histories.suite.ts";

histories(openEmbedded, { operations: 10_000, seed: 2 });
