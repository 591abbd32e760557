import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ensureInstalled, root } from "./ensure-installed.mjs";

// `npm run planted` plants one bug after the other into a copy of the sources and runs the part of the tests that should
// find it: a suite that misses a bug proves less than it claims. `npm run planted -- expires` tries only bugs with that in the name.
const wanted = process.argv[2] ?? "";

ensureInstalled();
const faults = JSON.parse(readFileSync(join(root, "tests/planted/faults.json"), "utf8"));
const chosen = faults.filter(({ name }) => name.includes(wanted));
const copy = mkdtempSync(join(tmpdir(), "foyer-planted-"));
const vitest = (...files) => ["node_modules/vitest/vitest.mjs", "run", "--config", "planted.config.mjs", ...files];
const checks = {
  model: ["--import", "tsx", "tests/model/run.ts", "--steps", "40000", "--seed", "101", "--no-shrink"],
  parts: vitest(
    "src/nodes/beat-watch.test.ts",
    "src/app/stop-order.test.ts",
    "src/operations/insight/activity.test.ts",
    "tests/store/versions.test.ts",
    "tests/nodes/calls.test.ts",
    "tests/store/behind-operations.test.ts",
    "src/gateway/gateway.test.ts",
    "src/operations/live/event-feed.test.ts",
    "tests/nodes/node-list.test.ts",
  ),
  lists: vitest("tests/http/matchmaker/matchmaker.test.ts", "-t", "T46"),
  audited: vitest("tests/http/cloud-sqlite.test.ts", "-t", "AU3"),
  heartbeats: vitest("tests/sdk/live.test.ts", "-t", "SK5"),
  gateway: vitest(
    "src/gateway",
    "src/runtime/process-ports.test.ts",
    "tests/gateway/answers.test.ts",
    "tests/gateway/web-sockets.test.ts",
  ),
  store: vitest("tests/crash/failing-store.test.ts"),
  redis: vitest(
    "tests/conformance/redis.test.ts",
    "tests/conformance/redis-scripts.test.ts",
    "tests/conformance/redis-batches.test.ts",
    "tests/conformance/redis-namespaces.test.ts",
    "tests/engine/redis-late-commands.test.ts",
  ),
  engine: vitest(
    "src/engine/memory",
    "tests/engine/throwing-rules.test.ts",
    "tests/engine/sqlite-journal.test.ts",
    "tests/engine/journal-note.test.ts",
    "tests/engine/journal-damage.test.ts",
  ),
  edges: vitest("tests/store/edges-sqlite.test.ts", "src/operations/matchmaking/lobby-waiters.test.ts"),
  bodies: vitest(
    "src/http/validation.test.ts",
    "src/operations/cloud/schema-issues.test.ts",
    "src/http/body.test.ts",
    "tests/http/large-bodies.test.ts",
  ),
  turns: vitest("src/http/gate.test.ts", "tests/http/one-at-a-time.test.ts"),
  dashboard: vitest("tests/dashboard/lobby-table.test.ts", "tests/dashboard/texts.test.ts"),
  streams: vitest(
    "src/operations/live/event-feed.test.ts",
    "src/operations/live/live-events.test.ts",
    "src/operations/live/timelines.test.ts",
    "src/http/sse/sender.test.ts",
    "src/ground/shares.test.ts",
    "src/operations/capacity/start-slots.test.ts",
    "src/operations/capacity/code-budget.test.ts",
    "src/operations/capacity/creation-budget.test.ts",
    "src/operations/matchmaking/lobby-start.test.ts",
  ),
  loops: vitest(
    "tests/runtime/loops.test.ts",
    "tests/runtime/supervise.test.ts",
    "src/operations/capacity/crash-backoff.test.ts",
    "tests/conformance/memory.test.ts",
  ),
  servers: vitest(
    "tests/runtime/ports.test.ts",
    "tests/runtime/process-ends.test.ts",
    "tests/runtime/supervise.test.ts",
    "tests/config-secret-files.test.ts",
  ),
  refusals: vitest(
    "tests/runtime/container-refusals.test.ts",
    "src/runtime/docker/start-container.test.ts",
    "src/runtime/docker/follow-logs.test.ts",
  ),
  uploads: vitest("tests/http/cloud-sqlite.test.ts", "-t", "BU7"),
  seats: vitest("tests/http/matchmaker/matchmaker.test.ts", "-t", "RA2"),
  stampedes: vitest("tests/histories/stampedes.test.ts"),
  histories: vitest("tests/histories/histories.long.test.ts"),
  crash: vitest("tests/crash/crash.long.test.ts"),
};

const neverInstalls = `import { fileURLToPath } from "node:url";
export const root = fileURLToPath(new URL("..", import.meta.url));
export function ensureInstalled() {
  throw new Error("A copy with planted bugs must not install anything.");
}
`;

const missed = [];
try {
  // With what was built: a copy with other times would build the documentation again.
  const isCopied = (path) => !["node_modules", ".git"].includes(basename(path));
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, filter: isCopied });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // The copy uses the real node_modules: an `npm ci` in the copy would empty it, so nothing there may install.
  writeFileSync(join(copy, "scripts/ensure-installed.mjs"), neverInstalls);
  const globalSetup = ["tests/planted/start-redis.ts"];
  const settings = { globalSetup, pool: "forks", maxWorkers: 1, testTimeout: 60_000, hookTimeout: 120_000, bail: 1 };
  writeFileSync(join(copy, "planted.config.mjs"), `export default ${JSON.stringify({ test: settings })};`);
  // A check that already fails without a bug would seem to catch every bug.
  for (const name of new Set(chosen.flatMap((fault) => fault.checks))) {
    const failure = runCheck(name);
    if (failure !== null) throw new Error(`Without any planted bug, ${failure}`);
    console.log(`passes without a planted bug: ${name}`);
  }
  for (const [at, fault] of chosen.entries()) {
    const startedAt = performance.now();
    const caughtBy = tryFault(fault);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const verdict = caughtBy === null ? "MISSED" : "caught";
    console.log(
      `${at + 1}/${chosen.length}  ${verdict}  ${seconds} s  ${fault.name}${caughtBy ? `  <- ${caughtBy}` : ""}`,
    );
    if (caughtBy === null) missed.push(fault.name);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${chosen.length - missed.length} caught, ${missed.length} missed`);
process.exitCode = missed.length === 0 ? 0 : 1;

/** Which check failed, and how. Null: no check failed. */
function tryFault({ edits, checks: names }) {
  const before = new Map();
  for (const { file, search, replace } of edits) {
    const path = join(copy, file);
    const text = readFileSync(path, "utf8");
    if (!before.has(path)) before.set(path, text);
    if (text.split(search).length !== 2) throw new Error(`${file} must contain this text exactly once: ${search}`);
    // A function, because a replacement text may contain `$`, which has a meaning there.
    writeFileSync(
      path,
      text.replace(search, () => replace),
    );
  }
  try {
    for (const name of names) {
      const failure = runCheck(name);
      if (failure !== null) return failure;
    }
    return null;
  } finally {
    for (const [path, text] of before) writeFileSync(path, text);
  }
}

/** Null: it passed. */
function runCheck(name) {
  const env = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, checks[name], { cwd: copy, encoding: "utf8", env });
  return status === 0 ? null : `${name}: ${firstFault(`${stderr}\n${stdout}`)}`;
}

function firstFault(output) {
  const lines = output.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => /^(?:Assertion)?Error: |^\[I\d+\]|^by the rules|^FAIL /.test(line));
  return (telling ?? lines.find((line) => line !== "") ?? "it failed").slice(0, 110);
}
