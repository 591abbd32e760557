import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { Query } from "../../matchmaker/commands.ts";
import { loadMemory, type Memory } from "./memory-state.ts";

/** Recovery after the journal has refused a change: load its content, then probe whether it accepts changes again. */

/** Null: the state in memory may be read. */
export function untilReadable(memory: Memory, query: Query): Promise<unknown> | null {
  if (memory.phase === "lost" || memory.phase === "closed") return becomeReadable(memory);
  if (memory.reloads.size === 0) return null;
  if (query.type === "namespaces") return Promise.all(memory.reloads.values());
  return memory.reloads.get(query.namespaceId) ?? null;
}

export async function becomeReadable(memory: Memory): Promise<void> {
  if (memory.phase === "closed") throw new EngineUnavailable("The engine is closed.");
  if (memory.phase !== "lost") return;
  memory.loading ??= memory.lastCommit
    .catch(() => undefined)
    .then(() => loadMemory(memory))
    .then(() => {
      if (memory.phase === "lost") memory.phase = "read-only";
    })
    .finally(() => {
      memory.loading = null;
    });
  await memory.loading.catch((error: unknown) => {
    throw new EngineUnavailable("The journal could not be read.", { cause: error });
  });
}

export async function becomeWritable(memory: Memory): Promise<void> {
  await becomeReadable(memory);
  if (memory.phase !== "read-only") return;
  memory.probing ??= memory.journal
    .probe()
    .then(() => {
      if (memory.phase === "read-only") memory.phase = "running";
    })
    .finally(() => {
      memory.probing = null;
    });
  await memory.probing.catch((error: unknown) => {
    throw new EngineUnavailable("The journal accepts no changes.", { cause: error });
  });
}
