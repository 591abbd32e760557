import type { Engine } from "../engine/engine.ts";

/** Ends what is due in namespaces that nobody is asking about; wherever somebody asks, it has happened already. */
export function createExpire(engine: Engine, now: () => number): () => Promise<void> {
  return async () => {
    const namespaces = await engine.read({ type: "namespaces" });
    const at = now();
    for (const { namespaceId, nextDueAt } of namespaces) {
      if (nextDueAt !== null && nextDueAt <= at) await engine.execute({ type: "expire", namespaceId, now: at });
    }
  };
}
