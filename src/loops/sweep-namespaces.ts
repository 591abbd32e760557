import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { collectErrors } from "./collect-errors.ts";

export interface SweepParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  /** Of all namespaces that the store has now, not as somebody remembers them. */
  namespaceIds(): Promise<readonly string[]>;
  now(): number;
}

/**
 * Ends what lives in namespaces that the store does not have: a node died between deleting the rows of one and removing
 * its live side. The row of a namespace is there before the engine hears of it and ids are never given twice, so one
 * that is listed first and then has no row has none any more; two looks in a row make sure of it all the same.
 */
export function createSweepNamespaces(parts: SweepParts): () => Promise<void> {
  const { engine, nodes, log, now } = parts;
  let suspects: ReadonlySet<string> = new Set();

  return async () => {
    if (nodes.lease() === null) {
      suspects = new Set();
      return;
    }
    const errors = collectErrors();
    const listed = await engine.read({ type: "namespaces" });
    const stored = new Set(await parts.namespaceIds());
    // One whose name a failover lost from the list is on it again when it is asked for.
    const listedIds = new Set(listed.map(({ namespaceId }) => namespaceId));
    for (const namespaceId of stored) {
      if (listedIds.has(namespaceId)) continue;
      await engine.read({ type: "counts", namespaceId, now: now() }).catch(errors.add);
    }
    // A store without any is rather the wrong one, and nothing must end because of a mistyped address.
    const missing = stored.size === 0 ? [] : listed.filter(({ namespaceId }) => !stored.has(namespaceId));
    for (const { namespaceId } of missing) {
      if (suspects.has(namespaceId)) await remove(namespaceId).catch(errors.add);
    }
    suspects = new Set(missing.map(({ namespaceId }) => namespaceId));
    errors.throwFirst();
  };

  /** One that was removed in good order is listed for a while too. */
  async function remove(namespaceId: string): Promise<void> {
    const { revision, starting, ready } = await engine.read({ type: "counts", namespaceId, now: now() });
    const lease = nodes.lease();
    const isEmpty = revision === null && starting + ready === 0;
    if (isEmpty || lease === null) return;
    log.warn({ namespace_id: namespaceId, lobbies: starting + ready }, "a namespace that was deleted is removed");
    await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force: true, ...lease });
  }
}
