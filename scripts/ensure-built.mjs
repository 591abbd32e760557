import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./ensure-installed.mjs";

const dist = join(root, "dist");

/**
 * Compiles src/ into dist/ if anything changed since the last time; false when it does not compile.
 * The result is written beside dist/ and then renamed, so a deleted source leaves nothing behind, a failed build
 * keeps the old result, and concurrent builds never see each other's partial results.
 */
export function ensureBuilt() {
  const wanted = fingerprint();
  if (readStamp(dist) === wanted) return true;

  console.error("Building …");
  sweep();
  const fresh = join(root, `dist-${randomUUID()}`);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", fresh], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  copyScripts(fresh);
  writeFileSync(join(fresh, stampName), wanted);
  moveIntoPlace(fresh, wanted);
  return true;
}

/** Copies what the compiler leaves out: the scripts that run inside Redis. */
function copyScripts(fresh) {
  cpSync(join(root, "src/engine/redis/lua"), join(fresh, "engine/redis/lua"), { recursive: true });
}

const stampName = ".built-from";

/** A hash of everything the result depends on. Sizes and times are enough to notice an edit, and quick to read. */
function fingerprint() {
  const hash = createHash("sha256").update(process.versions.node);
  const files = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"].map((name) => join(root, name));
  for (const file of [...files, ...filesBelow(join(root, "src"))]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.filter((file) => !file.endsWith(".test.ts")).sort();
}

function readStamp(folder) {
  const file = join(folder, stampName);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function moveIntoPlace(fresh, wanted) {
  for (;;) {
    try {
      renameSync(fresh, dist);
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
    // Another build of the same sources was quicker. Its result is the same.
    if (readStamp(dist) === wanted) return rmSync(fresh, { recursive: true, force: true });
    const old = join(root, `dist-${randomUUID()}`);
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
function sweep() {
  for (const name of readdirSync(root)) {
    if (!/^dist-[0-9a-f-]{36}$/.test(name)) continue;
    const folder = join(root, name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > 10 * 60_000) rmSync(folder, { recursive: true, force: true });
  }
}
