import { sql, type Transaction } from "kysely";
import { cached, keep, peekCached, withoutLostRaces } from "./cache.ts";
import type { Db, Page } from "./db.ts";
import { holdGame, lockNamespace } from "./locks.ts";
import { type PreparedRead, parameter, readRow } from "./read.ts";
import type { Tables } from "./tables.ts";
import { transact } from "./transaction.ts";

type KeptTokenKind = "cloud" | "pub" | "dev" | "server";

export interface TokenRow {
  readonly tokenId: string;
  readonly kind: KeptTokenKind;
  readonly gameId: string;
  /** Null: the token is the game's own. */
  readonly namespaceId: string | null;
  /** JSON text: the answers of a development token. */
  readonly details: string | null;
  readonly createTs: number;
  readonly lastUsedTs: number | null;
  readonly expiresTs: number | null;
  readonly revokeTs: number | null;
}

/** The owner of the tokens; without a namespace, the game itself. */
export interface TokenOwner {
  readonly gameId: string;
  readonly namespaceId: string | null;
}

/**
 * OWNER_NOT_FOUND: the game or the namespace was deleted meanwhile. A namespace has at most `tokensMax` that are
 * neither revoked nor expired: a lock makes inserts run one after another, so that the count is exact.
 */
export function insertToken(
  db: Db,
  token: TokenRow & { hash: string },
  { tokensMax }: { tokensMax: number } = { tokensMax: Number.POSITIVE_INFINITY },
): Promise<"ok" | "OWNER_NOT_FOUND" | "TOO_MANY"> {
  const { gameId, namespaceId } = token;
  return transact(db, [token.tokenId], async (transaction, undo) => {
    const isOwnerThere =
      namespaceId === null
        ? await holdGame(db, transaction, gameId)
        : await lockNamespace(db, transaction, { gameId, namespaceId });
    if (!isOwnerThere) throw undo("OWNER_NOT_FOUND");
    const living = namespaceId === null ? 0 : await countLiving(transaction, namespaceId, token.createTs);
    if (living >= tokensMax) throw undo("TOO_MANY");
    await transaction
      .insertInto("tokens")
      .values({
        token_id: token.tokenId,
        hash: token.hash,
        kind: token.kind,
        game_id: gameId,
        namespace_id: namespaceId,
        details: token.details,
        create_ts: token.createTs,
        last_used_ts: token.lastUsedTs,
        expires_ts: token.expiresTs,
        revoke_ts: token.revokeTs,
      })
      .execute();
    return "ok";
  });
}

async function countLiving(transaction: Transaction<Tables>, namespaceId: string, now: number): Promise<number> {
  const { count } = await transaction
    .selectFrom("tokens")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("namespace_id", "=", namespaceId)
    .where("revoke_ts", "is", null)
    .where((where) => where.or([where("expires_ts", "is", null), where("expires_ts", ">", now)]))
    .executeTakeFirstOrThrow();
  return count;
}

export function findTokenByHash(db: Db, hash: string): Promise<TokenRow | null> {
  return cached(db, tokenKey(hash), () => readRow(db, tokenByHash, [hash]), aboutToken);
}

/** The same without a promise, for every request. Undefined: ask `findTokenByHash`. */
export function peekTokenByHash(db: Db, hash: string): TokenRow | undefined {
  return peekCached<TokenRow>(db, tokenKey(hash));
}

function tokenKey(hash: string): string {
  return `token ${hash}`;
}

/** Not its namespace or game as such: limits and deployments do not change what a token may do. */
function aboutToken({ tokenId, gameId, namespaceId }: TokenRow): readonly string[] {
  return [tokenId, tokensChangeId(gameId), ...(namespaceId === null ? [] : [tokensChangeId(namespaceId)])];
}

/** The id of the change that deletes all tokens of a game or namespace. */
export function tokensChangeId(ownerId: string): string {
  return `tokens:${ownerId}`;
}

/** The games and namespaces that a change has deleted. */
export function listDeletedOwners(change: readonly string[]): string[] {
  const prefix = tokensChangeId("");
  return change.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
}

/**
 * Reads tokens into the cache before they are needed: those with these ids, or, with null, those that were used or
 * created last. False: a change happened meanwhile, and nothing was cached.
 */
export async function readTokensAhead(db: Db, ids: readonly string[] | null): Promise<boolean> {
  const { cache } = db;
  if (cache === null || ids?.length === 0) return true;
  const { generation } = cache;
  const tokens = db.query
    .selectFrom("tokens")
    .select([...tokenColumns, "hash"])
    .$narrowType<{ kind: KeptTokenKind }>();
  const wanted =
    ids === null
      ? tokens.orderBy(sql`coalesce(last_used_ts, create_ts)`, "desc").limit(readAheadMax)
      : tokens.where("token_id", "in", ids.slice(0, readAheadMax));
  for (const { hash, ...token } of await wanted.execute()) {
    keep(cache, generation, tokenKey(hash), token, aboutToken(token));
  }
  return cache.generation === generation;
}

const readAheadMax = 5_000;

/** Newest first, revoked and expired ones included. */
export async function listTokens(db: Db, owner: TokenOwner, page: Page): Promise<TokenRow[]> {
  let query = db.query
    .selectFrom("tokens")
    .select(tokenColumns)
    .$narrowType<{ kind: KeptTokenKind }>()
    .where("game_id", "=", owner.gameId)
    .where("namespace_id", owner.namespaceId === null ? "is" : "=", owner.namespaceId);
  if (page.after !== null) query = query.where("token_id", "<", page.after);
  return await query.orderBy("token_id", "desc").limit(page.limit).execute();
}

/**
 * Returns the kind of the token; null: the owner has no such token. Revoking it again is no error and keeps the first
 * time.
 */
export async function revokeToken(
  db: Db,
  owner: TokenOwner,
  tokenId: string,
  revokeTs: number,
): Promise<KeptTokenKind | null> {
  const outcome = await transact<KeptTokenKind | "NOT_FOUND">(db, [tokenId], async (transaction, undo) => {
    const row = await transaction
      .updateTable("tokens")
      .set((update) => ({ revoke_ts: update.fn.coalesce("revoke_ts", sql<number>`cast(${revokeTs} as bigint)`) }))
      .where("token_id", "=", tokenId)
      .where("game_id", "=", owner.gameId)
      .where("namespace_id", owner.namespaceId === null ? "is" : "=", owner.namespaceId)
      .returning("kind")
      .$narrowType<{ kind: KeptTokenKind }>()
      .executeTakeFirst();
    if (!row) throw undo("NOT_FOUND");
    return row.kind;
  });
  return outcome === "NOT_FOUND" ? null : outcome;
}

/** Stores when tokens were last used. Never stores an earlier time, and ignores deleted tokens. */
export async function recordTokenUse(db: Db, uses: ReadonlyMap<string, number>): Promise<void> {
  // Every node uses the same order, so that two simultaneous writes seldom cause a deadlock.
  const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let start = 0; start < sorted.length; start += usesPerStatement) {
    const rows = sorted
      .slice(start, start + usesPerStatement)
      .map(([tokenId, usedTs]) => sql`(cast(${tokenId} as text), cast(${usedTs} as bigint))`);
    // Both databases name the columns of a VALUES list column1, column2.
    const statement = sql`
      update tokens set last_used_ts = used.column2 from (values ${sql.join(rows)}) as used
      where tokens.token_id = used.column1 and (tokens.last_used_ts is null or tokens.last_used_ts < used.column2)
    `;
    await withoutLostRaces(() => statement.execute(db.query));
  }
}

const usesPerStatement = 200;

const tokenColumns = [
  "token_id as tokenId",
  "kind",
  "game_id as gameId",
  "namespace_id as namespaceId",
  "details",
  "create_ts as createTs",
  "last_used_ts as lastUsedTs",
  "expires_ts as expiresTs",
  "revoke_ts as revokeTs",
] as const;

const tokenByHash: PreparedRead<TokenRow> = {
  name: "tokenByHash",
  build: (query) =>
    query
      .selectFrom("tokens")
      .select(tokenColumns)
      .$narrowType<{ kind: KeptTokenKind }>()
      .where("hash", "=", parameter),
};
