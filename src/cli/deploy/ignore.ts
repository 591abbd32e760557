import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ignore from "ignore";
import { readDevelopmentPackages } from "./development-packages.ts";

/** Why a path below the folder is left out of the build; null: it belongs into it. */
export type WhyLeftOut = (path: string, isFolder: boolean) => "ignored" | "secret" | "development" | null;

const ignoreFileName = ".foyerignore";

/** Never part of a build: the service's own data, version control, and the packed SDK, which npm has unpacked. Nothing brings them back. */
const never = ignore().add([".git", ".foyer*", "foyer.config.json", ".DS_Store", "/foyer-sdk-*.tgz"]);

/** What usually holds secrets. The file of the game can name one of them under `include`. */
const secret = ignore({ ignorecase: true }).add([
  ".env*",
  "*.env",
  ".npmrc",
  ".netrc",
  ".ssh/",
  ".aws/",
  "*.pem",
  "*.key",
  "*.p12",
]);

/** Packages that were installed hold certificates of others, which they need, and none of the developer's secrets. */
const installed = /(?:^|\/)(?:node_modules|site-packages)\/./;

/** The rules of `.foyerignore` are those of `.gitignore`. */
export function readRules(
  folder: string,
  { include, development_packages }: { readonly include: readonly string[]; readonly development_packages: boolean },
): WhyLeftOut {
  const file = join(folder, ignoreFileName);
  const own = ignore({ ignorecase: false }).add(existsSync(file) ? readFileSync(file, "utf8") : "");
  const isDevelopment = development_packages ? () => false : readDevelopmentPackages(folder);
  const isNamed = (path: string) =>
    include.some((name) => name === path || name.startsWith(`${path}/`) || path.startsWith(`${name}/`));
  return (path, isFolder) => {
    const shown = isFolder ? `${path}/` : path;
    if (never.ignores(shown) || own.ignores(shown)) return "ignored";
    if (isDevelopment(path)) return "development";
    return !installed.test(path) && secret.ignores(shown) && !isNamed(path) ? "secret" : null;
  };
}
