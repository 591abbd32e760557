import type { ResolvedGameMode } from "../../contract/version-config.ts";
import type { Program } from "../../runtime/runtime.ts";

/** What a lobby of the game mode runs, and the version's own variables; null: Foyer does not start it. */
export function describeProgram(
  { runtime }: ResolvedGameMode,
  versionId: string,
): { readonly program: Program; readonly env: Readonly<Record<string, string>> } | null {
  if ("process" in runtime) {
    const { command, args, cwd, env } = runtime.process;
    return { program: { kind: "process", command, args, cwd }, env };
  }
  if (!("docker" in runtime)) return null;
  const { env, memory_mib, read_only, ...docker } = runtime.docker;
  return { program: { kind: "docker", versionId, ...docker, memoryMib: memory_mib, isReadOnly: read_only }, env };
}
