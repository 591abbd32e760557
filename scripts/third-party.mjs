import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure-installed.mjs";

/** The licences that a package of others may have. Another one needs a decision, not an entry here without thought. */
export const allowedLicences = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"];

/** The packages whose code is copied into files that the service serves, by where. They bring their dependencies with them. */
const bundled = {
  dashboard: ["@tanstack/react-query", "@tanstack/react-virtual", "react", "react-dom", "uplot", "wouter"],
  documentation: ["minisearch"],
};

/** The text in which package-lock.json is; its `packages` are by path, such as "node_modules/ws". */
export function readLock() {
  return JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
}

/**
 * Every package of others that reaches users: those that npm installs with the service, and those in its bundles. Each
 * has name, version, licence, integrity, where it is ("installed", "dashboard", "documentation"), whether Foyer itself asks for
 * it, and what it depends on.
 */
export function thirdParties(lock = readLock()) {
  const found = new Map();
  const add = (path, where) => {
    const { version, license, integrity } = lock.packages[path];
    const name = nameOf(path);
    const known = found.get(`${name}@${version}`) ?? { name, version, licence: license, integrity, where: new Set() };
    known.where.add(where);
    known.isDirect ||= direct.has(path);
    known.dependsOn = dependenciesOf(lock, path).map((other) => `${nameOf(other)}@${lock.packages[other].version}`);
    found.set(`${name}@${version}`, known);
  };
  const direct = new Set([
    ...dependenciesOf(lock, ""),
    ...Object.values(bundled)
      .flat()
      .map((name) => inDashboard(lock, name)),
  ]);
  for (const path of closure(lock, dependenciesOf(lock, ""))) add(path, "installed");
  for (const [where, names] of Object.entries(bundled)) {
    for (const path of closure(
      lock,
      names.map((name) => inDashboard(lock, name)),
    )) {
      add(path, where);
    }
  }
  return [...found.values()]
    .map((entry) => ({ ...entry, where: [...entry.where] }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1));
}

/** The licence of a package as its author wrote it, for those that are copied into a bundle; null without such a file. */
export function licenceText(name) {
  const folder = join(root, "node_modules", name);
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry));
  return file ? readFileSync(join(folder, file), "utf8").trim() : null;
}

const inDashboard = (lock, name) => resolve(lock, "dashboard", name);

const nameOf = (path) => path.replace(/^.*node_modules\//, "");

/** The paths of what a package depends on. Optional packages that the lock file does not have are for other uses. */
function dependenciesOf(lock, path) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = lock.packages[path];
  const isOptional = (name) => name in optionalDependencies || peerDependenciesMeta[name]?.optional;
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
    const found = resolve(lock, path, name);
    // The SDK is Foyer's own: a folder of this repository, which the package carries.
    if (found !== null && lock.packages[found].link) return [];
    if (found !== null && !(peerDependenciesMeta[name]?.optional && lock.packages[found].dev)) return [found];
    if (isOptional(name)) return [];
    throw new Error(`package-lock.json has no ${name}, which ${path || "the service"} needs. Run npm install.`);
  });
}

/** Where Node looks: in the package's own node_modules, then in those of the folders around it. */
function resolve(lock, from, name) {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)[^/]*$/, "")) {
    const path = `${folder}${folder === "" ? "" : "/"}node_modules/${name}`;
    if (lock.packages[path]) return path;
    if (folder === "") return null;
  }
}

function closure(lock, paths) {
  const seen = new Set();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    waiting.push(...dependenciesOf(lock, path));
  }
  return seen;
}
