import { parseArgs } from "node:util";
import { startRedis } from "../support/services/redis.ts";
import { startCluster } from "../support/services/redis-cluster.ts";
import { simulate } from "./simulation.ts";
import { startInMemory, startOnRedis } from "./subjects.ts";

/** `npm run simulate`: the model test for as long as one likes, or one failure of it again. */
const { values } = parseArgs({
  options: {
    steps: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    "no-shrink": { type: "boolean" },
    engine: { type: "string", default: "memory" },
  },
});
const stepsWanted = Number(values.steps ?? 1_000_000);
const firstSeed = Number(values.seed ?? 1);
if (!Number.isSafeInteger(firstSeed) || !Number.isSafeInteger(stepsWanted)) {
  console.error("--steps and --seed take whole numbers: npm run simulate -- --steps 1000000 --seed 7");
  process.exit(2);
}

const { engine } = values;
if (engine !== "memory" && engine !== "redis" && engine !== "cluster") {
  console.error("--engine is memory, redis or cluster: npm run simulate -- --engine redis");
  process.exit(2);
}
// A private server or cluster, gone with this process.
const server = engine === "memory" ? null : await (engine === "redis" ? startRedis() : startCluster());
const start = server === null ? startInMemory : startOnRedis(server.url);

const historiesPerSeed = engine === "memory" ? 140 : 10;
const startedAt = performance.now();
let steps = 0;
let seed = firstSeed;
try {
  do {
    const options = { path: values.path, isShrunk: !values["no-shrink"], start, engineName: engine } as const;
    steps += (await simulate(seed, historiesPerSeed, options)).steps;
    seed += 1;
    const rate = Math.round(steps / ((performance.now() - startedAt) / 1000));
    const share = Math.min(100, Math.floor((100 * steps) / stepsWanted));
    console.log(`${share} %  ${steps} steps, ${rate} steps/s, seeds ${firstSeed} to ${seed - 1}, no difference`);
  } while (steps < stepsWanted && values.path === undefined);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await server?.stop();
}
