import { type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join, posix } from "node:path";
import { CommandFailed } from "../remote/exit-codes.ts";
import type { WhyLeftOut } from "./ignore.ts";

/** An entry of a build. */
export interface Entry {
  /** Below the folder, with slashes. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly size: number;
  readonly isExecutable: boolean;
  /** Where a link points. */
  readonly target: string | null;
}

/** What a build consists of, and what was left out of it. */
export interface Listing {
  readonly entries: readonly Entry[];
  /** Paths that may hold secrets. */
  readonly secrets: readonly string[];
  /** Packages that only development needs, and the bytes of their files. */
  readonly development: { readonly packages: readonly string[]; readonly bytes: number };
}

/** Everything that belongs into the build, in an order that does not depend on the file system. */
export function listFiles(folder: string, whyLeftOut: WhyLeftOut): Listing {
  const entries: Entry[] = [];
  const secrets: string[] = [];
  const packages: string[] = [];
  function visit(prefix: string): void {
    const found = readdirSync(join(folder, prefix), { withFileTypes: true });
    for (const one of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = prefix === "" ? one.name : `${prefix}/${one.name}`;
      const reason = whyLeftOut(path, one.isDirectory());
      if (reason === "secret") secrets.push(path);
      if (reason === "development" && one.isDirectory()) packages.push(path);
      if (reason !== null) continue;
      const entry = describe(folder, path, one);
      if (entry === null) continue;
      entries.push(entry);
      if (entry.kind === "folder") visit(path);
    }
  }
  visit("");
  const bytes = packages.reduce((sum, path) => sum + sizeBelow(join(folder, path)), 0);
  return { entries, secrets, development: { packages, bytes } };
}

function sizeBelow(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  return files.reduce((sum, one) => sum + lstatSync(join(one.parentPath ?? one.path, one.name)).size, 0);
}

/** Null: a socket, a device or a pipe, which no build has. */
function describe(folder: string, path: string, one: Dirent): Entry | null {
  const stats = lstatSync(join(folder, path));
  const isExecutable = (stats.mode & 0o100) !== 0;
  if (one.isDirectory()) return { path, kind: "folder", size: 0, isExecutable: true, target: null };
  if (one.isFile()) return { path, kind: "file", size: stats.size, isExecutable, target: null };
  if (!one.isSymbolicLink()) return null;
  const target = readlinkSync(join(folder, path));
  const reached = posix.normalize(posix.join(posix.dirname(path), target));
  if (posix.isAbsolute(target) || reached === ".." || reached.startsWith("../")) {
    throw new CommandFailed(
      `${path} is a link to ${target}, outside the folder. A build cannot have it: copy the file, or list the link in .foyerignore.`,
    );
  }
  return { path, kind: "link", size: 0, isExecutable: false, target };
}
