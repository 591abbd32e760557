import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join, posix } from "node:path";

interface LockFile {
  readonly packages?: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * Whether a path is a package that only development needs, or a link in `.bin` to one, by what npm notes of the packages it
 * installed, else by package-lock.json. Other package managers note nothing of the kind, so all their packages count.
 */
export function readDevelopmentPackages(folder: string): (path: string) => boolean {
  const lock = readLock(join(folder, "node_modules/.package-lock.json")) ?? readLock(join(folder, "package-lock.json"));
  const paths = Object.entries(lock?.packages ?? {})
    .filter(([path, { dev }]) => dev === true && path.includes("node_modules/"))
    .map(([path]) => path);
  const known = new Set(paths);
  const isWithin = (path: string): boolean => path !== "." && (known.has(path) || isWithin(posix.dirname(path)));
  return (path) => {
    if (known.has(path)) return true;
    if (known.size === 0 || !dirname(path).endsWith("node_modules/.bin")) return false;
    const file = join(folder, path);
    return lstatSync(file).isSymbolicLink() && isWithin(posix.join(posix.dirname(path), readlinkSync(file)));
  };
}

/** Null: there is none, or it is not npm's. Installing is npm's business, so a damaged one is no error here. */
function readLock(file: string): LockFile | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
