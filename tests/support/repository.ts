import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every file that is in the repository or is about to be. What git ignores is left out. */
export const trackedFiles = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

export const read = (file: string) => readFileSync(join(root, file), "utf8");

export const isSource = (file: string) => /^src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts");

/** What a file imports or exports from elsewhere, types included, as it is written. */
export function importsOf(file: string): string[] {
  const pattern = /^(?:import|export)\s[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gms;
  return [...read(file).matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** The file that a relative import of `file` names. */
export const targetOf = (file: string, specifier: string) =>
  posix.normalize(posix.join(posix.dirname(file), specifier));
