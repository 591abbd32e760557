import { write } from "./cache.ts";
import type { Db } from "./db.ts";

/**
 * Deletes tokens that were revoked or expired before the time, lobbies that stopped before it, and deployments older
 * than it except each namespace's newest ones. Gives the number of rows deleted.
 */
export async function prune(db: Db, { before }: { before: number }): Promise<number> {
  const tokens = await write(db, () =>
    db.query
      .deleteFrom("tokens")
      .where((where) => where.or([where("revoke_ts", "<", before), where("expires_ts", "<", before)]))
      .executeTakeFirst(),
  );
  // A namespace with fewer rows has no last kept one, and a comparison with nothing deletes nothing.
  const deployments = await write(db, () =>
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
  const lobbies = await write(db, () =>
    db.query.deleteFrom("lobby_history").where("stop_ts", "<", before).executeTakeFirst(),
  );
  return Number(tokens.numDeletedRows + deployments.numDeletedRows + lobbies.numDeletedRows);
}

const deploymentsKeptPerNamespace = 100;
