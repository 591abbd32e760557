import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDatabase, startPostgres } from "../support/services/postgres.ts";
import { startRedis } from "../support/services/redis.ts";
import { countCode, describeOutcomes, unreached } from "./coverage.ts";
import { type FuzzReport, runFuzz } from "./fuzz.ts";
import { showRequest } from "./requests.ts";
import { startFuzzed } from "./services.ts";

/** `npm run fuzz`: as many requests as one likes, or exactly one that failed. */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "200000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    engine: { type: "string", default: "both" },
    outcomes: { type: "boolean", default: false },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const only = values.only === undefined ? undefined : Number(values.only);
if (![requests, seed, only ?? 0].every(Number.isSafeInteger)) {
  console.error("--requests, --seed and --only take whole numbers: npm run fuzz -- --requests 1000000 --seed 7");
  process.exit(2);
}
if (!["both", "embedded", "redis"].includes(values.engine)) {
  console.error("--engine is embedded, redis or both: npm run fuzz -- --engine redis");
  process.exit(2);
}

const engines = values.engine === "both" ? ["embedded", "redis"] : [values.engine];
for (const engine of engines) {
  const startedAt = performance.now();
  const closing: (() => Promise<unknown> | unknown)[] = [];
  try {
    const report = await fuzz(engine, Math.ceil(requests / engines.length), closing);
    const seconds = (performance.now() - startedAt) / 1000;
    const limited = countCode(report, "API_RATE_LIMIT") + countCode(report, "API_UNAVAILABLE");
    console.log(
      `${engine}: ${report.sent} requests in ${seconds.toFixed(0)} s, ${report.failures.length} failures, ${limited} turned away; not reached with success: ${unreached(report).join(", ") || "none"}`,
    );
    if (values.outcomes) console.log(describeOutcomes(report));
    for (const failure of report.failures) console.error(`\n${failure} --engine ${engine}`);
    if (report.failures.length > 0) process.exitCode = 1;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function fuzz(engine: string, count: number, closing: (() => Promise<unknown> | unknown)[]): Promise<FuzzReport> {
  const dataDir = mkdtempSync(join(tmpdir(), "foyer-fuzz-"));
  closing.push(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  const flags: string[] = [];
  if (engine === "redis") {
    const redis = await startRedis();
    closing.push(() => redis.stop());
    const postgres = await startPostgres();
    closing.push(() => postgres.stop());
    flags.push(`--redis-url=${redis.url}`, `--database-url=${await createDatabase(postgres.url, "fuzz")}`);
  }
  const server = await startFuzzed(dataDir, flags);
  closing.push(() => server.stop());
  let shownAt = 0;
  return runFuzz({
    port: server.port,
    adminToken: server.adminToken,
    seed,
    requests: count,
    ...(only !== undefined && { only }),
    onSequence(report) {
      if (report.sent - shownAt < 10_000) return;
      shownAt = report.sent;
      console.log(
        `${engine}: ${Math.floor((100 * report.sent) / count)} %  ${report.sent} requests, ${report.failures.length} failures`,
      );
    },
    onAnswer(request, answer) {
      if (request.index !== only) return;
      console.log(`${showRequest(request)}\n  → ${answer?.status} ${answer?.body.toString("utf8").slice(0, 500)}`);
    },
  });
}
