import type { Transaction } from "kysely";
import { cached } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { isUuid, mayBeName } from "./games.ts";
import { hasRowLocks, holdVersion, lockGame } from "./locks.ts";
import { aboutNamespace, type Namespace, type NamespaceRow, namespaceColumns, toNamespace } from "./namespace-row.ts";
import { type PreparedRead, parameter, readRow } from "./read.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

export type { Namespace } from "./namespace-row.ts";

/** With a version, which must be of the same game, the deployment is added to the history. */
export async function insertNamespace(
  db: Db,
  namespace: Namespace,
  deployment: { deploymentId: string; deployTs: number } | null,
  { namespacesMax }: { namespacesMax: number } = { namespacesMax: Number.POSITIVE_INFINITY },
): Promise<"ok" | "NAME_TAKEN" | "GAME_NOT_FOUND" | "VERSION_NOT_FOUND" | "TOO_MANY"> {
  const { namespaceId, gameId, versionId } = namespace;
  if ((versionId === null) !== (deployment === null)) {
    throw new Error(`The namespace ${namespaceId} needs both a version and its deployment, or neither.`);
  }
  return transact(db, [], async (transaction, undo) => {
    if (!(await lockGame(db, transaction, gameId))) throw undo("GAME_NOT_FOUND");
    const isVersionThere = versionId === null || (await holdVersion(db, transaction, { gameId, versionId }));
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("namespaces")
      .values({ ...toRow(namespace), version_id: isVersionThere ? versionId : null })
      .onConflict((conflict) => conflict.columns(["game_id", "name_id"]).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows !== 1n) throw undo("NAME_TAKEN");
    if ((await countNamespaces(transaction, gameId)) > namespacesMax) throw undo("TOO_MANY");
    if (!isVersionThere) throw undo("VERSION_NOT_FOUND");
    if (versionId === null || deployment === null) return "ok";

    const { deploymentId, deployTs } = deployment;
    await transaction
      .insertInto("deployments")
      .values({ deployment_id: deploymentId, namespace_id: namespaceId, version_id: versionId, deploy_ts: deployTs })
      .execute();
    return "ok";
  });
}

async function countNamespaces(transaction: Transaction<Tables>, gameId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom("namespaces")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** By UUID in any case, or by name_id; only within the game. */
export function findNamespace(db: Db, gameId: string, ref: string): Promise<Namespace | null> {
  if (isUuid(ref)) {
    const namespaceId = ref.toLowerCase();
    const read = async () => {
      const namespace = await readNamespace(db, byId, [namespaceId]);
      return namespace?.gameId === gameId ? namespace : null;
    };
    return cached(db, `namespace ${gameId} ${namespaceId}`, read, aboutNamespace);
  }
  if (!mayBeName(ref)) return Promise.resolve(null);
  return cached(db, `namespace-name ${gameId} ${ref}`, () => readNamespace(db, byName, [gameId, ref]), aboutNamespace);
}

export function findNamespaceById(db: Db, namespaceId: string): Promise<Namespace | null> {
  return cached(db, `namespace ${namespaceId}`, () => readNamespace(db, byId, [namespaceId]), aboutNamespace);
}

/**
 * The current row, locked against changes and deletion. The work reads with `held`, over the same connection: if every
 * lock holder waited for a second connection, none would ever get one.
 */
export async function withNamespaceHeld<T>(
  db: Db,
  namespaceId: string,
  work: (namespace: Namespace | null, held: Db) => Promise<T>,
): Promise<T> {
  return db.query.transaction().execute(async (transaction) => {
    const query = transaction
      .selectFrom("namespaces")
      .select(namespaceColumns)
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null);
    const row = await (hasRowLocks(db) ? query.forUpdate() : query).executeTakeFirst();
    return work(row ? toNamespace(row) : null, { ...db, query: transaction });
  });
}

/** Also true for a deleted namespace of which something is still to be removed. */
export function namespaceNameExists(db: Db, gameId: string, nameId: string): Promise<boolean> {
  return cached(db, `namespace-name-exists ${gameId} ${nameId}`, async () => {
    return (await readRow(db, nameUse, [gameId, nameId])) !== null;
  });
}

export async function isNamespaceNameDeleting(db: Db, gameId: string, nameId: string): Promise<boolean> {
  return (await readRow(db, nameUse, [gameId, nameId]))?.deleteTs != null;
}

/** By id, ascending. */
export async function listNamespaces(db: Db, gameId: string, page: Page): Promise<Namespace[]> {
  let query = db.query
    .selectFrom("namespaces")
    .select(namespaceColumns)
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  if (page.after !== null) query = query.where("namespace_id", ">", page.after);
  const rows = await query.orderBy("namespace_id").limit(page.limit).execute();
  return rows.map(toNamespace);
}

/** The ids of all namespaces of all games, read from the database, with those that are being removed. */
export async function listNamespaceIds(db: Db): Promise<string[]> {
  const rows = await db.query.selectFrom("namespaces").select("namespace_id").execute();
  return rows.map((row) => row.namespace_id);
}

/** The ids of all namespaces with a deployed version, of all games. */
export async function listDeployedNamespaces(db: Db): Promise<string[]> {
  const rows = await db.query
    .selectFrom("namespaces")
    .select("namespace_id")
    .where("version_id", "is not", null)
    .orderBy("namespace_id")
    .execute();
  return rows.map((row) => row.namespace_id);
}

/** What is deployed where. */
export function listDeployedVersions(db: Db): Promise<{ namespaceId: string; versionId: string }[]> {
  return db.query
    .selectFrom("namespaces")
    .select(["namespace_id as namespaceId", "version_id as versionId"])
    .where("version_id", "is not", null)
    .$narrowType<{ versionId: string }>()
    .execute();
}

/** Sets all limits together and returns the new revision; null: the namespace does not exist. */
export function setMatchmakerConfig(
  db: Db,
  namespaceId: string,
  config: { lobbyCountMax: number; maxPlayers: number; maxPlayersPerClient?: number | null | undefined },
): Promise<number | null> {
  const { lobbyCountMax, maxPlayers, maxPlayersPerClient } = config;
  return setRaisingRevision(db, namespaceId, {
    lobby_count_max: lobbyCountMax,
    max_players: maxPlayers,
    ...(maxPlayersPerClient !== undefined && { max_players_per_client: maxPlayersPerClient }),
  });
}

/** Returns the new revision; null: the namespace does not exist. */
export function setDomainPublicAuth(
  db: Db,
  namespaceId: string,
  auth: { enabled?: boolean | undefined; allowLocalhost?: boolean | undefined },
): Promise<number | null> {
  const { enabled, allowLocalhost } = auth;
  return setRaisingRevision(db, namespaceId, {
    ...(enabled !== undefined && { domain_public_auth_enabled: Number(enabled) }),
    ...(allowLocalhost !== undefined && { allow_localhost: Number(allowLocalhost) }),
  });
}

/**
 * Makes commands with an earlier configuration repeat. Returns the new revision; null: the namespace does not exist.
 */
export function raiseRevision(db: Db, namespaceId: string): Promise<number | null> {
  return setRaisingRevision(db, namespaceId, {});
}

async function setRaisingRevision(
  db: Db,
  namespaceId: string,
  columns: Partial<Omit<ReturnType<typeof toRow>, "namespace_id" | "game_id" | "revision">>,
): Promise<number | null> {
  const outcome = await transact<number | "NAMESPACE_NOT_FOUND">(db, [namespaceId], async (transaction, undo) => {
    const row = await transaction
      .updateTable("namespaces")
      .set(columns)
      .set((update) => ({ revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .returning("revision")
      .executeTakeFirst();
    if (!row) throw undo("NAMESPACE_NOT_FOUND");
    return row.revision;
  });
  return typeof outcome === "number" ? outcome : null;
}

function toRow(namespace: Namespace) {
  return {
    namespace_id: namespace.namespaceId,
    game_id: namespace.gameId,
    name_id: namespace.nameId,
    display_name: namespace.displayName,
    create_ts: namespace.createTs,
    version_id: namespace.versionId,
    lobby_count_max: namespace.lobbyCountMax,
    max_players: namespace.maxPlayers,
    max_players_per_client: namespace.maxPlayersPerClient,
    domain_public_auth_enabled: Number(namespace.domainPublicAuth.enabled),
    allow_localhost: Number(namespace.domainPublicAuth.allowLocalhost),
    revision: namespace.revision,
  };
}

async function readNamespace(
  db: Db,
  read: PreparedRead<NamespaceRow>,
  parameters: readonly string[],
): Promise<Namespace | null> {
  const row = await readRow(db, read, parameters);
  return row && toNamespace(row);
}

const byId: PreparedRead<NamespaceRow> = {
  name: "namespaceById",
  build: (query) =>
    query
      .selectFrom("namespaces")
      .select(namespaceColumns)
      .where("namespace_id", "=", parameter)
      .where("delete_ts", "is", null),
};

const byName: PreparedRead<NamespaceRow> = {
  name: "namespaceByName",
  build: (query) =>
    query
      .selectFrom("namespaces")
      .select(namespaceColumns)
      .where("game_id", "=", parameter)
      .where("name_id", "=", parameter)
      .where("delete_ts", "is", null),
};

const nameUse: PreparedRead<{ readonly deleteTs: number | null }> = {
  name: "namespaceNameUse",
  build: (query) =>
    query
      .selectFrom("namespaces")
      .select("delete_ts as deleteTs")
      .where("game_id", "=", parameter)
      .where("name_id", "=", parameter),
};
