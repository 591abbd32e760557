import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createIds } from "../../src/ground/ids.ts";
import type { Db, Page } from "../../src/store/db.ts";
import {
  listDeletedOf,
  markGameDeleted,
  markNamespaceDeleted,
  removeGameRows,
  removeNamespaceRows,
} from "../../src/store/deletions.ts";
import { type Game, insertGame } from "../../src/store/games.ts";
import { findNamespaceById, insertNamespace, type Namespace } from "../../src/store/namespaces.ts";
import { openDb } from "../../src/store/open-db.ts";
import type { TokenRow } from "../../src/store/tokens.ts";
import { insertVersion, type Version } from "../../src/store/versions.ts";
import { freshDatabase, type StoreKind } from "../support/services/stores.ts";

export const newId = createIds(Date.now);

export const now = 1_760_000_000_000;

export const firstPage: Page = { after: null, limit: 100 };

export const uint32Max = 4_294_967_295;

/** A folder that is gone after the test. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "foyer-store-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return path;
}

/** An open, empty store that is closed after the test. */
export async function emptyStore(kind: StoreKind): Promise<Db> {
  const { databaseUrl } = await freshDatabase(kind);
  return open({ databaseUrl, dataDir: await folder() });
}

export async function open(options: { databaseUrl: string | null; dataDir: string }): Promise<Db> {
  const db = await openDb(options);
  onTestFinished(() => db.close());
  return db;
}

export function game(fields: Partial<Game> = {}): Game {
  const gameId = newId();
  return { gameId, nameId: `game-${gameId.slice(-8)}`, displayName: "Game", createTs: now, ...fields };
}

export function namespace(fields: Partial<Namespace> & { gameId: string }): Namespace {
  const namespaceId = newId();
  return {
    namespaceId,
    nameId: `ns-${namespaceId.slice(-8)}`,
    displayName: "Namespace",
    createTs: now,
    versionId: null,
    lobbyCountMax: 1000,
    maxPlayers: 100,
    maxPlayersPerClient: null,
    domainPublicAuth: { enabled: false, allowLocalhost: false },
    revision: 1,
    ...fields,
  };
}

export function version(fields: Partial<Version> & { gameId: string }): Version {
  return { versionId: newId(), displayName: "1.0", createTs: now, config: '{"regions":{}}', defaults: 2, ...fields };
}

export function token(fields: Partial<TokenRow> & { gameId: string }): TokenRow & { hash: string } {
  const tokenId = newId();
  return {
    tokenId,
    hash: createHash("sha256").update(tokenId).digest("hex"),
    kind: fields.namespaceId ? "pub" : "cloud",
    namespaceId: null,
    details: null,
    createTs: now,
    lastUsedTs: null,
    expiresTs: null,
    revokeTs: null,
    ...fields,
  };
}

export async function storedGame(db: Db, fields: Partial<Game> = {}): Promise<Game> {
  const made = game(fields);
  await insertGame(db, made);
  return made;
}

/** Also makes the game unless one is named. */
export async function storedNamespace(db: Db, fields: Partial<Namespace> = {}): Promise<Namespace> {
  const gameId = fields.gameId ?? (await storedGame(db)).gameId;
  const made = namespace({ ...fields, gameId });
  await insertNamespace(db, made, made.versionId === null ? null : { deploymentId: newId(), deployTs: now });
  return made;
}

export async function storedVersion(db: Db, fields: Partial<Version> & { gameId: string }): Promise<Version> {
  const made = version(fields);
  await insertVersion(db, made);
  return made;
}

/** How often each answer came. */
export function tally(answers: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[String(answer)] = (counts[String(answer)] ?? 0) + 1;
  return counts;
}

/** Calls `work` so often at once. */
export function atOnce<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}

/** Walks a list page by page, as the API's cursors do. */
export async function walk<Row>(
  list: (page: Page) => Promise<Row[]>,
  idOf: (row: Row) => string,
  limit: number,
): Promise<Row[]> {
  const all: Row[] = [];
  let after: string | null = null;
  for (;;) {
    const rows: Row[] = await list({ after, limit });
    all.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return all;
    after = idOf(last);
  }
}

/** A promise that the test settles when it likes. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** As DELETE does, without live state. */
export async function deleteNamespace(db: Db, namespaceId: string): Promise<boolean> {
  const namespace = await findNamespaceById(db, namespaceId);
  const isMarked = namespace !== null && (await markNamespaceDeleted(db, namespace, 1));
  if (isMarked) await removeNamespaceRows(db, namespaceId);
  return isMarked;
}

export async function deleteGame(db: Db, gameId: string): Promise<boolean> {
  const isMarked = await markGameDeleted(db, gameId, 1);
  for (const namespaceId of isMarked ? await listDeletedOf(db, gameId) : []) await removeNamespaceRows(db, namespaceId);
  if (isMarked) await removeGameRows(db, gameId);
  return isMarked;
}
