import pg from "pg";
import { toStoreError } from "./errors.ts";

/** Another service uses this database. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";
}

export interface OnlyNode {
  /** False once another service has the lock. A broken connection alone does not mean that. */
  isOurs(): boolean;
  release(): Promise<void>;
}

/** Who may share the lock of a database. */
export interface HoldKind {
  readonly lock: string;
  readonly whenInUse: string;
}

export const holdAlone: HoldKind = {
  lock: "pg_try_advisory_lock",
  whenInUse:
    "Another Foyer uses this PostgreSQL database. Without Redis there can be only one node: stop the other one, or give this one its own database.",
};

export const holdWithNodes: HoldKind = {
  lock: "pg_try_advisory_lock_shared",
  whenInUse:
    "A Foyer without Redis uses this PostgreSQL database and cannot share it. Stop that one, or give this one its own database.",
};

/** An arbitrary number that never changes. */
const lockKey = 7_100_310_019;
const retryMs = 1_000;

/**
 * Locks a PostgreSQL database for one service (docs/decisions/0010); the lock ends with its connection. Live lobbies
 * are in the memory of one process, so a second one would decide about the same namespaces without knowing about the
 * first. `onLost` is called when another service got the lock while this one's connection was broken. Nodes with live
 * state in Redis share the lock with each other, and only with each other.
 */
export async function holdDatabase(
  databaseUrl: string,
  onLost: (error: DatabaseInUse) => void,
  kind: HoldKind = holdAlone,
): Promise<OnlyNode> {
  let client: pg.Client | null = await takeHold();
  let retry: NodeJS.Timeout | undefined;
  let isReleased = false;
  let isLost = false;
  watch(client);

  async function takeHold(): Promise<pg.Client> {
    const taking = new pg.Client({
      connectionString: databaseUrl,
      application_name: "foyer",
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    // Every error is also reported by the query or by the end of the connection.
    taking.on("error", () => {});
    try {
      await taking.connect();
      const { rows } = await taking.query(`select ${kind.lock}($1) as taken`, [lockKey]);
      if (rows[0].taken === true) return taking;
    } catch (error) {
      await taking.end().catch(() => {});
      throw toStoreError(error);
    }
    await taking.end();
    throw new DatabaseInUse(kind.whenInUse);
  }

  function watch(held: pg.Client): void {
    held.once("end", () => {
      if (isReleased) return;
      client = null;
      retry = setTimeout(takeAgain, retryMs).unref();
    });
  }

  async function takeAgain(): Promise<void> {
    try {
      const taken = await takeHold();
      if (isReleased) return void (await taken.end());
      client = taken;
      watch(taken);
    } catch (error) {
      if (isReleased) return;
      if (error instanceof DatabaseInUse) {
        isLost = true;
        onLost(error);
      } else retry = setTimeout(takeAgain, retryMs).unref();
    }
  }

  return {
    isOurs: () => !isLost,
    async release() {
      isReleased = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
