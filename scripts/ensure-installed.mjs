import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Makes node_modules match package-lock.json, or ends the process with a message about what to do. */
export function ensureInstalled() {
  requireNode();
  const reason = whyStale();
  if (reason === null) return;

  console.error(`Installing dependencies (${reason}) …`);
  // --include=dev because the compiler is a development dependency, and NODE_ENV=production would leave it out.
  const flags = ["--ignore-scripts", "--include=dev", "--no-audit", "--no-fund"];
  // The output of npm goes to standard error: standard output belongs to the command that the user called.
  const { status, error } = spawnSync("npm", ["ci", ...flags], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status === 0) return;
  console.error(`npm ci failed${error ? ` (${error.message})` : ""}. Run it by hand in ${root} to see why.`);
  process.exit(1);
}

/** The first minor version of each major one that `engines` of package.json names; later ones are supported from 0 on. */
const firstMinors = { 20: 19, 22: 12, 24: 0 };

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 24 || minor >= firstMinors[major]) return;
  console.error(
    `Foyer needs Node 20.19, 22.12, 24 or a later one of these; this is ${process.versions.node}. Get one from https://nodejs.org or a version manager such as nvm.`,
  );
  process.exit(1);
}

/** Compares the lock file with what npm says it installed, so that an `npm ci` run by hand counts as well. */
function whyStale() {
  const wanted = readPackages("package-lock.json");
  const installed = readPackages("node_modules/.package-lock.json");
  if (!wanted) return "package-lock.json cannot be read";
  if (!installed) return "there is no node_modules";
  for (const [path, { version, optional, link }] of Object.entries(wanted)) {
    // Optional packages are often for other platforms. This package and its workspaces are folders of the repository.
    if (!path.includes("node_modules/") || optional || link) continue;
    const name = path.replace(/^.*node_modules\//, "");
    if (!installed[path]) return `${name} is missing`;
    if (installed[path].version !== version) return `${name} is ${installed[path].version} instead of ${version}`;
  }
  return null;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(`${root}/${file}`, "utf8")).packages;
  } catch {
    // Missing or broken: in both cases install again.
    return undefined;
  }
}
