import pg from "pg";
import { asFault } from "./faults.ts";

/** Another service works on this database. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";
}

export interface OnlyNode {
  /** False once another service has taken the hold. A broken connection alone does not mean that. */
  isOurs(): boolean;
  release(): Promise<void>;
}

/** With whom a database is held. */
export interface HoldKind {
  readonly lock: string;
  readonly whenInUse: string;
}

export const holdAlone: HoldKind = {
  lock: "pg_try_advisory_lock",
  whenInUse:
    "Another Foyer works on this PostgreSQL database. Without Redis there can be one node only: stop the other, or give this one a database of its own.",
};

export const holdWithNodes: HoldKind = {
  lock: "pg_try_advisory_lock_shared",
  whenInUse:
    "A Foyer without Redis works on this PostgreSQL database, alone. Stop it, or give this one a database of its own.",
};

/** Any number, as long as it is always the same. */
const lockKey = 7_100_310_019;
const retryMs = 1_000;

/**
 * Holds a PostgreSQL database for this one service, by a lock that ends with its connection. Live lobbies are in the
 * memory of one process, so a second one would decide about the same namespaces without knowing of the first.
 * `onLost` is called when another service took the hold while this one's connection was broken. Nodes that keep live
 * state in Redis share the hold with one another, and with nobody else.
 */
export async function holdDatabase(
  databaseUrl: string,
  onLost: (fault: DatabaseInUse) => void,
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
    // Every fault is also told by the query or by the end of the connection.
    taking.on("error", () => {});
    try {
      await taking.connect();
      const { rows } = await taking.query(`select ${kind.lock}($1) as taken`, [lockKey]);
      if (rows[0].taken === true) return taking;
    } catch (error) {
      await taking.end().catch(() => {});
      throw asFault(error);
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
