import { expect, inject, test } from "vitest";
import { type Simulated, simulate } from "./simulation.ts";
import { startOnRedis } from "./subjects.ts";

const historiesPerSeed = 20;

/** The same histories as on the memory engine, fewer of them. More: npm run simulate -- --engine redis --steps 100000 --seed 7 */
export function modelOnRedis(engineName: "redis" | "cluster", seeds: readonly number[], stepsWanted: number): void {
  const runs: Simulated[] = [];

  test.each(seeds)(
    "[RD2] [I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I9] [I11] [I13] [I15] [I16] [I17] [I18] [I19] [CO4] seed %i",
    { timeout: 900_000 },
    async (seed) => {
      const url = inject(engineName === "redis" ? "redisUrl" : "redisClusterUrl");
      runs.push(await simulate(seed, historiesPerSeed, { start: startOnRedis(url), engineName }));
    },
  );

  test("there were enough steps", () => {
    const steps = runs.reduce((sum, run) => sum + run.steps, 0);
    console.log(`model on ${engineName}: ${steps} steps, seeds ${seeds.join(" ")}`);
    expect(steps).toBeGreaterThanOrEqual(stepsWanted);
  });
}
