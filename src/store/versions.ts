import type { Transaction } from "kysely";
import { listKnownBuilds } from "./builds.ts";
import { cached } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { hasRowLocks, holdVersion, lockGame } from "./locks.ts";
import { type PreparedRead, parameter, readRow } from "./read.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

export interface Version {
  readonly versionId: string;
  readonly gameId: string;
  readonly displayName: string;
  readonly createTs: number;
  /** JSON text. */
  readonly config: string;
  /** Which defaults hold for what the document does not say; null: those from before 0.2. */
  readonly defaults: number | null;
}

export type VersionSummary = Omit<Version, "config" | "defaults">;

export interface Deployment {
  readonly deploymentId: string;
  readonly versionId: string;
  readonly displayName: string;
  readonly deployTs: number;
  readonly isDeleted: boolean;
  /** An earlier version was deployed again in its stead. */
  readonly isRolledBack: boolean;
}

/** A build that a version names. */
interface BuildUse {
  readonly useId: string;
  readonly buildId: string;
}

/**
 * A game has at most `versionsMax` versions that are not deleted: a lock makes inserts run one after another.
 * BUILD_NOT_FOUND: a build that it names is not the game's, or was deleted meanwhile.
 */
export function insertVersion(
  db: Db,
  version: Version,
  { versionsMax = Number.POSITIVE_INFINITY, uses = [] }: { versionsMax?: number; uses?: readonly BuildUse[] } = {},
): Promise<"ok" | "GAME_NOT_FOUND" | "TOO_MANY" | "BUILD_NOT_FOUND"> {
  // The cache never contains that a version is missing.
  return transact(db, null, async (transaction, undo) => {
    if (!(await lockGame(db, transaction, version.gameId))) throw undo("GAME_NOT_FOUND");
    if ((await countVersions(transaction, version.gameId)) >= versionsMax) throw undo("TOO_MANY");
    const buildIds = uses.map(({ buildId }) => buildId);
    const known = await listKnownBuilds(transaction, version.gameId, buildIds);
    if (buildIds.some((buildId) => !known.has(buildId))) throw undo("BUILD_NOT_FOUND");
    await transaction
      .insertInto("versions")
      .values({
        version_id: version.versionId,
        game_id: version.gameId,
        display_name: version.displayName,
        create_ts: version.createTs,
        config: version.config,
        defaults: version.defaults,
        delete_ts: null,
      })
      .execute();
    const rows = uses.map(({ useId, buildId }) => ({
      use_id: useId,
      version_id: version.versionId,
      build_id: buildId,
    }));
    if (rows.length > 0) await transaction.insertInto("build_uses").values(rows).execute();
    return "ok";
  });
}

async function countVersions(transaction: Transaction<Tables>, gameId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom("versions")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

export async function findVersion(db: Db, gameId: string, versionId: string): Promise<Version | null> {
  const row = await db.query
    .selectFrom("versions")
    .select([...summaryColumns, "config", "defaults"])
    .where("version_id", "=", versionId)
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

/** Uses the cache if there is one, for frequent calls. */
export function versionExists(db: Db, gameId: string, versionId: string): Promise<boolean> {
  const read = async () => (await readRow(db, existing, [gameId, versionId])) !== null;
  return cached(db, `version-exists ${gameId} ${versionId}`, read, () => [versionId]);
}

/** Newest first. */
export async function listVersions(db: Db, gameId: string, page: Page): Promise<VersionSummary[]> {
  let query = db.query
    .selectFrom("versions")
    .select(summaryColumns)
    .where("game_id", "=", gameId)
    .where("delete_ts", "is", null);
  if (page.after !== null) query = query.where("version_id", "<", page.after);
  return await query.orderBy("version_id", "desc").limit(page.limit).execute();
}

interface DeployRequest {
  readonly namespaceId: string;
  readonly versionId: string;
  /** Deploys only if this is the deployed version. Absent or null: in any case. */
  readonly expectedVersionId?: string | null;
  deployment(): { deploymentId: string; deployTs: number };
}

/**
 * Raises the revision and adds an entry to the history; deploying the deployed version again changes nothing.
 * `deployment` is called after the namespace is locked, so that the history has the order of the deployments.
 */
export function deployVersion(
  db: Db,
  request: DeployRequest,
): Promise<"deployed" | "unchanged" | "NAMESPACE_NOT_FOUND" | "VERSION_NOT_FOUND" | "VERSION_CHANGED"> {
  const { namespaceId, versionId } = request;
  return transact(db, [namespaceId], async (transaction, undo) => {
    // Locked with a select: two updates of one row would check its reference to the game again, and wait for
    // deleteGame.
    const row = transaction
      .selectFrom("namespaces")
      .select(["game_id", "version_id"])
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null);
    const namespace = await (hasRowLocks(db) ? row.forUpdate() : row).executeTakeFirst();
    if (!namespace) throw undo("NAMESPACE_NOT_FOUND");
    const { expectedVersionId = null } = request;
    if (expectedVersionId !== null && namespace.version_id !== expectedVersionId) throw undo("VERSION_CHANGED");
    if (namespace.version_id === versionId) throw undo("unchanged");
    const version = { gameId: namespace.game_id, versionId };
    if (!(await holdVersion(db, transaction, version))) throw undo("VERSION_NOT_FOUND");

    await noteRollback(transaction, request);
    const { deploymentId, deployTs } = request.deployment();
    await transaction
      .updateTable("namespaces")
      .set((update) => ({ version_id: versionId, revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .execute();
    await transaction
      .insertInto("deployments")
      .values({ deployment_id: deploymentId, namespace_id: namespaceId, version_id: versionId, deploy_ts: deployTs })
      .execute();
    return "deployed";
  });
}

/**
 * Deploying a version that ran before rolls back from all that came after it. If that one was itself rolled back from,
 * it is another try, which rolls nothing back.
 */
async function noteRollback(
  transaction: Transaction<Tables>,
  { namespaceId, versionId }: DeployRequest,
): Promise<void> {
  const earlier = await transaction
    .selectFrom("deployments")
    .select(["deployment_id", "rolled_back"])
    .where("namespace_id", "=", namespaceId)
    .where("version_id", "=", versionId)
    .orderBy("deployment_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (earlier === undefined || earlier.rolled_back === 1) return;
  await transaction
    .updateTable("deployments")
    .set({ rolled_back: 1 })
    .where("namespace_id", "=", namespaceId)
    .where("deployment_id", ">", earlier.deployment_id)
    .where("rolled_back", "is", null)
    .execute();
}

/** Newest first. */
export async function listDeployments(db: Db, namespaceId: string, page: Page): Promise<Deployment[]> {
  let query = db.query
    .selectFrom("deployments")
    .innerJoin("versions", "versions.version_id", "deployments.version_id")
    .select([
      "deployments.deployment_id as deploymentId",
      "deployments.version_id as versionId",
      "versions.display_name as displayName",
      "deployments.deploy_ts as deployTs",
      "deployments.rolled_back as rolledBack",
      "versions.delete_ts as deleteTs",
    ])
    .where("deployments.namespace_id", "=", namespaceId);
  if (page.after !== null) query = query.where("deployments.deployment_id", "<", page.after);
  const rows = await query.orderBy("deployments.deployment_id", "desc").limit(page.limit).execute();
  return rows.map(({ deleteTs, rolledBack, ...row }) => ({
    ...row,
    isDeleted: deleteTs !== null,
    isRolledBack: rolledBack === 1,
  }));
}

const existing: PreparedRead<{ readonly versionId: string }> = {
  name: "versionExists",
  build: (query) =>
    query
      .selectFrom("versions")
      .select("version_id as versionId")
      .where("game_id", "=", parameter)
      .where("version_id", "=", parameter)
      .where("delete_ts", "is", null),
};

const summaryColumns = [
  "version_id as versionId",
  "game_id as gameId",
  "display_name as displayName",
  "create_ts as createTs",
] as const;
