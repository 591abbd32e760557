import type { CopiedBuilds } from "../store/transfer/export-builds.ts";

/** What a command says about builds whose bytes it did not find; nothing if there are none. */
export function describeMissing({ missing }: Pick<CopiedBuilds, "missing">, whatToDo: string): string {
  if (missing.length === 0) return "";
  const lines = missing.map(({ buildId, displayName, sha256 }) => `  ${buildId}  ${displayName}  sha256 ${sha256}`);
  const what = missing.length === 1 ? "The bytes of this build are missing" : "The bytes of these builds are missing";
  return [`${what}. ${whatToDo}`, ...lines, ""].join("\n");
}
