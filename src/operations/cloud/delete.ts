import { setTimeout as sleep } from "node:timers/promises";
import { pageSizeMax } from "../../ground/limits.ts";
import type { Db } from "../../store/db.ts";
import {
  listDeleted,
  listDeletedOf,
  markGameDeleted,
  markNamespaceDeleted,
  removeGameRows,
  removeNamespaceRows,
} from "../../store/deletions.ts";
import type { Game } from "../../store/games.ts";
import { listNamespaces, type Namespace } from "../../store/namespaces.ts";
import type { Context } from "../context.ts";
import { refuse } from "../refusal.ts";

/**
 * Deletes a namespace: first the engine counts it as removed, or refuses because lobbies are alive; then the store
 * marks it. From then on no read finds it, and all that is left of it is removed in steps.
 */
export async function deleteNamespace(context: Context, recorded: Db, namespace: Namespace, force: boolean) {
  const { namespaceId } = namespace;
  const refused = await context.configs.removing(async () => {
    const remaining = await markInEngine(context, namespace, force);
    if (remaining) return remaining;
    const isMarked = await markNamespaceDeleted(recorded, namespace, context.now());
    return isMarked ? null : "NAMESPACE_NOT_FOUND";
  });
  if (refused === null) await removeFor(answerMs, removeNamespace(context, namespaceId)).catch(() => undefined);
  return refused;
}

/** The same for a whole game: all namespaces are checked before the first is touched. */
export async function deleteGame(context: Context, recorded: Db, { gameId }: Game, force: boolean) {
  const refused = await context.configs.removing(async () => {
    const namespaces = await listAllNamespaces(context, gameId);
    for (const namespace of force ? [] : namespaces) {
      const { namespaceId } = namespace;
      const counts = await context.engine.read({ type: "counts", namespaceId, now: context.now() });
      if (counts.starting + counts.ready > 0) return notEmpty(namespace);
    }
    for (const namespace of namespaces) {
      const remaining = await markInEngine(context, namespace, force);
      if (remaining) return remaining;
    }
    return (await markGameDeleted(recorded, gameId, context.now())) ? null : "GAME_NOT_FOUND";
  });
  if (refused === null) await removeFor(answerMs, removeGame(context, gameId)).catch(() => undefined);
  return refused;
}

/** Returns what removes the rest of what was deleted, here or on a node that ended before it had done so. */
export function createRemoveDeleted(context: Context): () => Promise<void> {
  return async () => {
    const { namespaceIds, gameIds } = await listDeleted(context.db, context.now() - answerMs);
    const removals = [
      ...namespaceIds.map((id) => () => removeNamespace(context, id)),
      ...gameIds.map((id) => () => removeGame(context, id)),
    ];
    const failures: unknown[] = [];
    // Not waited for longer: it takes minutes for very many lobbies, and the service may stop meanwhile.
    for (const remove of removals) await removeFor(roundMs, remove()).catch((error: unknown) => failures.push(error));
    // One that cannot be removed holds up no other.
    if (failures.length > 0) throw failures[0];
  };
}

/** How long the answer to a deletion waits, so that a small namespace has been removed by then. */
const answerMs = 5_000;
const roundMs = 1_000;

/** A removal that takes longer continues. When it fails, the task that does the rest notices. */
async function removeFor(ms: number, removal: Promise<void>): Promise<void> {
  const stopWaiting = new AbortController();
  const over = sleep(ms, undefined, { signal: stopWaiting.signal }).catch(() => undefined);
  await Promise.race([removal, over]).finally(() => stopWaiting.abort());
}

function removeNamespace(context: Context, namespaceId: string): Promise<void> {
  const { db, engine, now } = context;
  return once(context, namespaceId, async () => {
    await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force: true });
    await removeNamespaceRows(db, namespaceId);
  });
}

function removeGame(context: Context, gameId: string): Promise<void> {
  const { db } = context;
  return once(context, gameId, async () => {
    for (const namespaceId of await listDeletedOf(db, gameId)) await removeNamespace(context, namespaceId);
    await removeGameRows(db, gameId);
  });
}

/** The answer to a deletion and the task wait for the same removal. */
function once({ removals }: Context, id: string, remove: () => Promise<void>): Promise<void> {
  const earlier = removals.get(id);
  if (earlier) return earlier;
  const removal = remove().finally(() => removals.delete(id));
  // When it fails after its caller went on, the task begins again.
  removal.catch(() => undefined);
  removals.set(id, removal);
  return removal;
}

/** From then on the engine refuses calls for it. Refuses when lobbies are alive and `force` is not set. */
async function markInEngine({ db, engine, now }: Context, namespace: Namespace, force: boolean) {
  const { namespaceId } = namespace;
  // The rows are changed next: an unavailable store is noticed before.
  await db.ping();
  const outcome = await engine.execute({ type: "removeNamespace", namespaceId, now: now(), force, onlyMark: true });
  return outcome.ok ? null : notEmpty(namespace);
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
