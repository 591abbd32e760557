import { pageSizeMax } from "../../ground/limits.ts";
import { listNamespaces, type Namespace } from "../../store/namespaces.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";

/**
 * Removes the live state of a namespace that is about to be deleted: from then on the engine refuses calls for it.
 * Refuses when lobbies are alive and `force` is not set; then nothing has changed.
 */
export async function removeLobbies({ db, engine, now }: Context, namespace: Namespace, force: boolean) {
  const { namespaceId } = namespace;
  // The rows are deleted next. An unavailable store is noticed before any lobby is stopped.
  await db.ping();
  const outcome = await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force });
  return outcome.ok ? null : notEmpty(namespace);
}

/**
 * Call it after the rows of a namespace were deleted: between the two steps another node, which still saw the rows, may
 * have created the live state again.
 */
export async function removeRemains({ engine, now }: Context, namespaceIds: readonly string[]): Promise<void> {
  for (const namespaceId of namespaceIds) {
    await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force: true });
  }
}

/** The same for a whole game: all namespaces are checked before the first is touched. */
export async function removeEveryLobby(context: Context, namespaces: readonly Namespace[], force: boolean) {
  for (const namespace of force ? [] : namespaces) {
    const { namespaceId } = namespace;
    const counts = await context.engine.read({ type: "counts", namespaceId, now: context.now() });
    if (counts.starting + counts.ready > 0) return notEmpty(namespace);
  }
  for (const namespace of namespaces) {
    const remaining = await removeLobbies(context, namespace, force);
    if (remaining) return remaining;
  }
  return null;
}

export async function listAllNamespaces({ db }: Context, gameId: string): Promise<Namespace[]> {
  const namespaces: Namespace[] = [];
  for (let after: string | null = null; ; after = namespaces.at(-1)!.namespaceId) {
    const page = await listNamespaces(db, gameId, { after, limit: pageSizeMax });
    namespaces.push(...page);
    if (page.length < pageSizeMax) return namespaces;
  }
}

function notEmpty({ nameId }: Namespace) {
  const message = `Lobbies are alive in the namespace ${nameId}. Stop them first, or add ?force=true to stop them with it.`;
  return refuse("CLOUD_NAMESPACE_NOT_EMPTY", message);
}
