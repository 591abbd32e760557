import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./ensure-installed.mjs";

const service = {
  folder: root,
  sources: ["tsconfig.json", "tsconfig.build.json", "src", "sdk/src"],
  build: (fresh) => compile(root, fresh) && copyScripts(fresh),
};
const sdk = {
  folder: join(root, "sdk"),
  sources: ["tsconfig.json", "sdk/tsconfig.json", "sdk/tsconfig.build.json", "sdk/src"],
  build: (fresh) => compile(join(root, "sdk"), fresh) && nameScripts(fresh),
};
const dashboard = {
  folder: join(root, "dashboard"),
  sources: ["dashboard/vite.config.ts", "dashboard/index.html", "dashboard/src", "sdk/src"],
  build: bundle,
};
const arena = {
  folder: join(root, "examples/arena"),
  sources: ["examples/arena/server.mjs", "examples/arena/game.mjs", "examples/arena/page", "sdk/src"],
  build: bundleArena,
};

const docs = {
  folder: join(root, "docs"),
  sources: [
    ...["docs", "CHANGELOG.md", "sdk/README.md", "clients", "scripts/docs", "dashboard/src/foyer.svg"],
    ...["src/contract", "src/config", "src/cli", "src/ground/limits.ts", "sdk/src"],
  ],
  build: renderDocs,
};

/** Compiles the SDK, the service on it, and the documentation if anything changed since the last time; false when that fails. */
export function ensureBuilt() {
  return ensureSdkBuilt() && ensureProjectBuilt(service) && ensureDocsBuilt();
}

/** Renders the documentation alone, which needs no compiled service. */
export function ensureDocsBuilt() {
  return ensureProjectBuilt(docs);
}

/** The same for the SDK. */
export function ensureSdkBuilt() {
  return ensureProjectBuilt(sdk);
}

/** The same for the dashboard. */
export function ensureDashboardBuilt() {
  return ensureProjectBuilt(dashboard);
}

/** Bundles the demo game with the SDK in it, as the service runs and serves it. */
export function ensureArenaBuilt() {
  return ensureSdkBuilt() && ensureProjectBuilt(arena);
}

/**
 * Builds dist/ of a project. The result is written beside dist/ and then renamed, so a deleted source leaves nothing
 * behind, a failed build keeps the old result, and concurrent builds never see each other's partial results.
 */
function ensureProjectBuilt({ folder, sources, build }) {
  const dist = join(folder, "dist");
  const wanted = fingerprint(sources);
  if (readStamp(dist) === wanted) return true;

  console.error(folder === root ? "Building …" : `Building ${relative(root, folder)} …`);
  sweep(folder);
  const fresh = join(folder, `dist-${randomUUID()}`);
  if (!build(fresh)) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  writeFileSync(join(fresh, stampName), wanted);
  moveIntoPlace(fresh, dist, wanted);
  return true;
}

function compile(folder, fresh) {
  return run(folder, "typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", fresh);
}

/** Vite checks no types; `tsc --noEmit` does. */
function bundle(fresh) {
  return run(dashboard.folder, "vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", fresh);
}

function bundleArena(fresh) {
  const rolldown = (entry, ...flags) => run(arena.folder, "rolldown/bin/cli.mjs", entry, "--format", "esm", ...flags);
  return (
    rolldown("server.mjs", "--platform", "node", "--external", "ws", "--file", join(fresh, "server.mjs")) &&
    rolldown("page/play.js", "--platform", "browser", "--file", join(fresh, "play.js"))
  );
}

/** The renderer is TypeScript that reads the contract and the settings from src/. */
function renderDocs(fresh) {
  return run(root, "tsx/dist/cli.mjs", "scripts/docs/build.ts", fresh);
}

/**
 * Runs a program of node_modules. Its output is of interest when it fails, and goes to standard error: standard output
 * belongs to the command of the user.
 */
function run(folder, program, ...args) {
  const file = join(root, "node_modules", program);
  // A bundle must not depend on who builds it: in a test React would be the larger one for development.
  const env = { ...process.env, NODE_ENV: "production" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (status !== 0) console.error(`${stdout}${stderr}`);
  return status === 0;
}

/** Copies what the compiler leaves out: the scripts that run inside Redis. */
function copyScripts(fresh) {
  cpSync(join(root, "src/engine/redis/lua"), join(fresh, "engine/redis/lua"), { recursive: true });
  return true;
}

/** The compiler leaves `./call.ts` in declarations. Compilers of users look for `./call.js`. */
function nameScripts(fresh) {
  for (const file of filesBelow(fresh).filter((name) => name.endsWith(".d.ts"))) {
    writeFileSync(file, readFileSync(file, "utf8").replace(/(from "\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
  }
  return true;
}

const stampName = ".built-from";

/** A hash of everything the result depends on. Sizes and times are enough to notice an edit, and quick to read. */
function fingerprint(sources) {
  const hash = createHash("sha256");
  const paths = ["package-lock.json", ...sources].map((name) => join(root, name));
  for (const file of paths.flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Without tests and results of other builds. */
function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const isOther = (file) =>
    /\.test\.ts$|\/(?:dist|dist-[0-9a-f-]{36}|__pycache__)\//.test(`/${relative(folder, file)}`);
  return files.filter((file) => !isOther(file)).sort();
}

function readStamp(folder) {
  const file = join(folder, stampName);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function moveIntoPlace(fresh, dist, wanted) {
  for (;;) {
    try {
      renameSync(fresh, dist);
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
    // Another build of the same sources was quicker. Its result is the same.
    if (readStamp(dist) === wanted) return rmSync(fresh, { recursive: true, force: true });
    const old = join(dirname(dist), `dist-${randomUUID()}`);
    try {
      renameSync(dist, old);
    } catch (error) {
      // Another build has just moved it away.
      if (error.code !== "ENOENT") throw error;
    }
    rmSync(old, { recursive: true, force: true });
  }
}

/** Removes what killed builds left behind, once it is too old to belong to a running build. */
function sweep(folder) {
  for (const name of readdirSync(folder)) {
    if (!/^dist-[0-9a-f-]{36}$/.test(name)) continue;
    const left = join(folder, name);
    const { mtimeMs } = statSync(left, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > 10 * 60_000) rmSync(left, { recursive: true, force: true });
  }
}
