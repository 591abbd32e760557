import { readFileSync } from "node:fs";

/** The version in package.json, which is two folders up from here, both in src/ and in dist/. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
