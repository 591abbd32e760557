import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { collectErrors } from "./collect-errors.ts";

export interface SweepParts {
  readonly engine: Engine;
  readonly nodes: Nodes;
  readonly log: Logger;
  /** The ids of all namespaces, read from the store without a cache. */
  namespaceIds(): Promise<readonly string[]>;
  now(): number;
}

/**
 * Removes the live state of namespaces that the store no longer has: a node died between deleting the rows of one and
 * removing its live state. The row of a namespace exists before its live state and ids are never reused, so a namespace
 * that is in the engine's list and then has no row was deleted. Two rounds in a row must agree, to be safe.
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
    // A failover may lose a namespace from the list; the next request for it adds it again.
    const listedIds = new Set(listed.map(({ namespaceId }) => namespaceId));
    for (const namespaceId of stored) {
      if (listedIds.has(namespaceId)) continue;
      await engine.read({ type: "counts", namespaceId, now: now() }).catch(errors.add);
    }
    // A store without namespaces is probably the wrong one, and a mistyped address must not end any lobby.
    const missing = stored.size === 0 ? [] : listed.filter(({ namespaceId }) => !stored.has(namespaceId));
    for (const { namespaceId } of missing) {
      if (suspects.has(namespaceId)) await remove(namespaceId).catch(errors.add);
    }
    suspects = new Set(missing.map(({ namespaceId }) => namespaceId));
    errors.throwFirst();
  };

  /** A namespace that was removed normally is also listed for a while. */
  async function remove(namespaceId: string): Promise<void> {
    const { revision, starting, ready } = await engine.read({ type: "counts", namespaceId, now: now() });
    const lease = nodes.lease();
    const isEmpty = revision === null && starting + ready === 0;
    if (isEmpty || lease === null) return;
    log.warn(
      { namespace_id: namespaceId, lobbies: starting + ready },
      "removing the live state of a deleted namespace",
    );
    await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force: true, ...lease });
  }
}
