import type { Engine } from "../engine/engine.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { collectErrors } from "./collect-errors.ts";

/** Ends what is due in namespaces that nobody is asking about; wherever somebody asks, it has happened already. */
export function createExpire(engine: Engine, now: () => number): () => Promise<void> {
  return async () => {
    const namespaces = await engine.read({ type: "namespaces" });
    const at = now();
    const errors = collectErrors();
    for (const { namespaceId, nextDueAt } of namespaces) {
      if (nextDueAt === null || nextDueAt > at) continue;
      await engine.execute({ type: "expire", namespaceId, now: at }).catch(errors.add);
    }
    errors.throwFirst();
  };
}

const atOnce = 32;

/** The same where several nodes share the engine: only the holder of the lease does it. */
export function createSharedExpire(engine: Engine, nodes: Nodes, now: () => number): () => Promise<void> {
  return async () => {
    if (nodes.lease() === null) return;
    const namespaces = await engine.read({ type: "namespaces" });
    const wanted = namespaces.filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= now());
    const errors = collectErrors();
    while (wanted.length > 0) {
      const fence = nodes.lease()?.fence;
      if (fence === undefined) break;
      const some = wanted.splice(0, atOnce);
      const expire = ({ namespaceId }: { namespaceId: string }) =>
        engine.execute({ type: "expire", namespaceId, now: now(), fence }).catch(errors.add);
      await Promise.all(some.map(expire));
    }
    errors.throwFirst();
  };
}
