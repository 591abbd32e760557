import { parseArgs } from "node:util";
import { simulate } from "./simulation.ts";

/** `npm run simulate`: the model test for as long as one likes, or one failure of it again. */
const { values } = parseArgs({
  options: {
    steps: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    "no-shrink": { type: "boolean" },
  },
});
const stepsWanted = Number(values.steps ?? 1_000_000);
const firstSeed = Number(values.seed ?? 1);
if (!Number.isSafeInteger(firstSeed) || !Number.isSafeInteger(stepsWanted)) {
  console.error("--steps and --seed take whole numbers: npm run simulate -- --steps 1000000 --seed 7");
  process.exit(2);
}

const historiesPerSeed = 140;
const startedAt = performance.now();
let steps = 0;
let seed = firstSeed;
try {
  do {
    steps += (await simulate(seed, historiesPerSeed, { path: values.path, isShrunk: !values["no-shrink"] })).steps;
    seed += 1;
    const rate = Math.round(steps / ((performance.now() - startedAt) / 1000));
    const share = Math.min(100, Math.floor((100 * steps) / stepsWanted));
    console.log(`${share} %  ${steps} steps, ${rate} steps/s, seeds ${firstSeed} to ${seed - 1}, no difference`);
  } while (steps < stepsWanted && values.path === undefined);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
