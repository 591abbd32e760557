import type { Engine } from "../engine/engine.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { collectErrors } from "./collect-errors.ts";

const atOnce = 32;

/**
 * Handles due deadlines in namespaces without requests; a request handles those of its own namespace. Only the lease
 * holder does it.
 */
export function createExpire(engine: Engine, nodes: Pick<Nodes, "lease">, now: () => number): () => Promise<void> {
  return async () => {
    if (nodes.lease() === null) return;
    const namespaces = await engine.read({ type: "namespaces" });
    const wanted = namespaces
      .filter(({ nextDueAt }) => nextDueAt !== null && nextDueAt <= now())
      .map(({ namespaceId }) => ({ namespaceId }));
    const errors = collectErrors();
    while (wanted.length > 0) {
      const lease = nodes.lease();
      if (lease === null) break;
      const expire = async ({ namespaceId }: (typeof wanted)[number]) => {
        const outcome = await engine.execute({ type: "expire", namespaceId, now: now(), isRetiring: true, ...lease });
        // After a deploy there may be many more steps: others have their turn before each.
        if (outcome.ok && outcome.nextDueAt !== null && outcome.nextDueAt <= now()) wanted.push({ namespaceId });
      };
      await Promise.all(wanted.splice(0, atOnce).map((one) => expire(one).catch(errors.add)));
    }
    errors.throwFirst();
  };
}
