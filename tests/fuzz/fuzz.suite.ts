import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { ensureServerBuilt } from "../support/server.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { countCode, describeOutcomes, unreached } from "./coverage.ts";
import { runFuzz } from "./fuzz.ts";
import { startFuzzed } from "./services.ts";

interface Amount {
  readonly requests: number;
  readonly seeds: { readonly embedded: number; readonly redis: number };
  /** A short run is not long enough to get an answer of every kind from every operation. */
  readonly reachesAll: boolean;
}

export function fuzz({ requests, seeds, reachesAll }: Amount): void {
  beforeAll(ensureServerBuilt, 120_000);

  describe.each(["embedded", "redis"] as const)("fuzz on %s", (engine) => {
    test("[FZ1] every answer to any request is one that openapi.json declares", { timeout: 1_200_000 }, async () => {
      const server = await startFuzzed(temporaryFolder(), await flagsOf(engine));
      const { port, adminToken } = server;
      const seed = seeds[engine];
      const startedAt = performance.now();
      const report = await runFuzz({ port, adminToken, seed, requests });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`fuzz: ${engine}, seed ${seed}, ${report.sent} requests in ${seconds} s`);
      await server.stop();
      expect(report.failures.join("\n\n")).toBe("");
      expect(report.sent).toBe(requests);
      // A run that was refused everywhere would prove little.
      if (reachesAll) expect(unreached(report), describeOutcomes(report)).toEqual([]);
      const turnedAway = countCode(report, "API_RATE_LIMIT") + countCode(report, "API_UNAVAILABLE");
      expect(turnedAway).toBeLessThan(requests / 10);
    });
  });
}

async function flagsOf(engine: "embedded" | "redis"): Promise<string[]> {
  if (engine === "embedded") return [];
  const { databaseUrl } = await freshDatabase("postgresql");
  const prefix = `--redis-prefix=fuzz-${randomBytes(6).toString("hex")}`;
  return [`--redis-url=${inject("redisUrl")}`, `--database-url=${databaseUrl}`, prefix];
}
