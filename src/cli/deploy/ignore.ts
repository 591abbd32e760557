import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether a path below the folder is left out of the build. */
export type IsIgnored = (path: string, isFolder: boolean) => boolean;

const ignoreFileName = ".foyerignore";

/** Never part of a build: secrets, the service's own data, version control. `.foyerignore` cannot bring them back. */
const always = [".git", ".foyer*", ".env*", "foyer.config.json", ".DS_Store"].map((line) => parseLine(line)!);

/** The rules of `.foyerignore`, which are those of `.gitignore`. */
export function readIgnoreFile(folder: string): IsIgnored {
  const file = join(folder, ignoreFileName);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split(/\r?\n/) : [];
  const rules = lines.map(parseLine).filter((rule) => rule !== null);
  return (path, isFolder) => {
    if (always.some((rule) => matches(rule, path, isFolder))) return true;
    let isIgnored = false;
    for (const rule of rules) if (matches(rule, path, isFolder)) isIgnored = !rule.isNegated;
    return isIgnored;
  };
}

interface Rule {
  readonly pattern: RegExp;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
}

function matches({ pattern, isForFolders }: Rule, path: string, isFolder: boolean): boolean {
  return (isFolder || !isForFolders) && pattern.test(path);
}

/** Null: a comment or an empty line. */
function parseLine(line: string): Rule | null {
  const text = line.trimEnd();
  if (text === "" || text.startsWith("#")) return null;
  const isNegated = text.startsWith("!");
  const bare = isNegated ? text.slice(1) : text;
  const isForFolders = bare.endsWith("/");
  const inner = bare.replace(/\/$/, "");
  // With a slash, the pattern is of the whole path; without one, of any part of it.
  const start = inner.includes("/") ? "^" : "^(?:.*/)?";
  return { pattern: new RegExp(`${start}${toPattern(inner.replace(/^\//, ""))}$`), isNegated, isForFolders };
}

function toPattern(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found === "**/") return "(?:.*/)?";
    if (found === "**") return ".*";
    if (found === "*") return "[^/]*";
    return found === "?" ? "[^/]" : `\\${found}`;
  });
}
