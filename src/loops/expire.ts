import type { Engine } from "../engine/engine.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";
import type { Nodes } from "../nodes/nodes.ts";

/** Ends what is due in namespaces that nobody is asking about; wherever somebody asks, it has happened already. */
export function createExpire(engine: Engine, now: () => number): () => Promise<void> {
  return async () => {
    const namespaces = await engine.read({ type: "namespaces" });
    const at = now();
    const faults: unknown[] = [];
    for (const { namespaceId, nextDueAt } of namespaces) {
      if (nextDueAt === null || nextDueAt > at) continue;
      // One namespace whose rules throw keeps no other from being brought up to date; an engine that is away keeps all.
      await engine.execute({ type: "expire", namespaceId, now: at }).catch((fault: unknown) => {
        if (fault instanceof EngineUnavailable) throw fault;
        faults.push(fault);
      });
    }
    if (faults.length > 0) throw faults[0];
  };
}

const atOnce = 32;

/** The same where several nodes share the engine: only the holder of the lease does it. */
export function createSharedExpire(engine: Engine, nodes: Nodes, now: () => number): () => Promise<void> {
  return async () => {
    if (nodes.lease() === null) return;
    const namespaces = await engine.read({ type: "namespaces" });
    const wanted = namespaces.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= now());
    while (wanted.length > 0) {
      const fence = nodes.lease()?.fence;
      if (fence === undefined) return;
      await Promise.all(
        wanted
          .splice(0, atOnce)
          .map(({ namespaceId }) => engine.execute({ type: "expire", namespaceId, now: now(), fence })),
      );
    }
  };
}
