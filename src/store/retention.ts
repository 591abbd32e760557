import { auditRowsMax } from "../ground/limits.ts";
import { pruneAudit } from "./audit.ts";
import { pruneBlocks } from "./blocks.ts";
import { changed, withoutLostRaces } from "./cache.ts";
import type { Db } from "./db.ts";
import { pruneDeletedVersions } from "./delete-version.ts";
import { prunePastLobbies } from "./lobby-history.ts";

/**
 * Deletes tokens that were revoked or expired before the time, lobbies that stopped before it, and deployments older
 * than it except each namespace's newest ones, versions that were deleted before it and that no history names, expired
 * blocks, and the audit log's entries above its maximum. Returns the number of deleted rows. Does not use write():
 * other nodes need no notice, because a revoked or expired token is refused with or without its row, and an expired
 * block blocks no client.
 */
export async function prune(db: Db, { before, now }: { before: number; now: number }): Promise<number> {
  const tokens = await withoutLostRaces(() =>
    db.query
      .deleteFrom("tokens")
      .where((where) => where.or([where("revoke_ts", "<", before), where("expires_ts", "<", before)]))
      .returning("token_id")
      .execute(),
  );
  const deleted = tokens.map((row) => row.token_id);
  if (deleted.length > 0) changed(db, deleted);
  // For a namespace with fewer rows the subquery gives null, and a comparison with null deletes nothing.
  const deployments = await withoutLostRaces(() =>
    db.query
      .deleteFrom("deployments")
      .where("deploy_ts", "<", before)
      .where("deployment_id", "<", (select) =>
        select
          .selectFrom("deployments as kept")
          .select("kept.deployment_id")
          .whereRef("kept.namespace_id", "=", "deployments.namespace_id")
          .orderBy("kept.deployment_id", "desc")
          .limit(1)
          .offset(deploymentsKeptPerNamespace - 1),
      )
      .executeTakeFirst(),
  );
  const lobbies = await prunePastLobbies(db, before);
  const blocks = await pruneBlocks(db, now);
  const versions = await pruneDeletedVersions(db, before);
  const entries = await pruneAudit(db, { before, rowsMax: auditRowsMax });
  return tokens.length + Number(deployments.numDeletedRows) + lobbies + blocks + versions + entries;
}

const deploymentsKeptPerNamespace = 100;
