import type { Engine } from "../engine/engine.ts";
import type { Nodes } from "../nodes/nodes.ts";

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

const atOnce = 32;

/**
 * The same where several nodes share the engine: only the holder of the lease does it, and it goes to every namespace,
 * which also shows the engine that the service is up and heartbeats can be heard.
 */
export function createSharedExpire(engine: Engine, nodes: Nodes, now: () => number): () => Promise<void> {
  return async () => {
    if (nodes.lease() === null) return;
    const namespaces = [...(await engine.read({ type: "namespaces" }))];
    while (namespaces.length > 0) {
      const fence = nodes.lease()?.fence;
      if (fence === undefined) return;
      const some = namespaces.splice(0, atOnce);
      await Promise.all(
        some.map(({ namespaceId }) => engine.execute({ type: "expire", namespaceId, now: now(), fence })),
      );
    }
  };
}
