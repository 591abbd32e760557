import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { Query } from "../../matchmaker/commands.ts";
import { loadMemory, type Memory } from "./memory-state.ts";

/** The way back after the journal has refused: load what it has, then probe whether it writes again. */

/** Null: what is in memory can be shown. */
export function untilReadable(memory: Memory, query: Query): Promise<unknown> | null {
  if (memory.phase === "lost" || memory.phase === "closed") return becomeReadable(memory);
  if (memory.reloads.size === 0) return null;
  if (query.type === "namespaces") return Promise.all(memory.reloads.values());
  return memory.reloads.get(query.namespaceId) ?? null;
}

async function becomeReadable(memory: Memory): Promise<void> {
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
    throw new EngineUnavailable("The journal does not take changes.", { cause: error });
  });
}
