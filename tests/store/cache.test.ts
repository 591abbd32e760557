import { sql } from "kysely";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { StoreUnavailable } from "../../src/ground/unavailable.ts";
import { cached, changed, write } from "../../src/store/cache.ts";
import type { Db } from "../../src/store/db.ts";
import { addDomain, findNamespaceByDomain, listDomains, removeDomain } from "../../src/store/domains.ts";
import { toStoreError } from "../../src/store/errors.ts";
import { findGame, insertGame } from "../../src/store/games.ts";
import { findNamespaceById, namespaceNameExists, setMatchmakerConfig } from "../../src/store/namespaces.ts";
import { openDb } from "../../src/store/open-db.ts";
import { prune } from "../../src/store/retention.ts";
import { findTokenByHash, insertToken, recordTokenUse, revokeToken } from "../../src/store/tokens.ts";
import { transact } from "../../src/store/transaction.ts";
import { until } from "../support/harness.ts";
import { freePort } from "../support/services/programs.ts";
import { freshDatabase, type StoreKind, storeKinds } from "../support/services/stores.ts";
import {
  deferred,
  deleteGame,
  emptyStore,
  folder,
  game,
  newId,
  now,
  storedGame,
  storedNamespace,
  token,
} from "./fixtures.ts";

describe("the read cache on sqlite", () => {
  test("a kept answer is given again until the next write, a missing one too", async () => {
    const db = await emptyStore("sqlite");
    let loads = 0;
    const ask = (answer: string | null) =>
      cached(db, "key", async () => {
        loads++;
        return answer;
      });

    expect(await ask(null)).toBeNull();
    expect(await ask("new")).toBeNull();
    await write(db, async () => {});
    expect(await ask("new")).toBe("new");
    expect(await ask("newer")).toBe("new");

    expect(loads).toBe(2);
  });

  test("an answer that was loading while a write ended is not kept", async () => {
    const db = await emptyStore("sqlite");
    const loaded = deferred<string>();

    const early = cached(db, "key", () => loaded.promise);
    await write(db, async () => {});
    loaded.resolve("from before the write");

    expect(await early).toBe("from before the write");
    expect(await cached(db, "key", async () => "from after the write")).toBe("from after the write");
  });

  test("a write that fails forgets what was kept as well", async () => {
    const db = await emptyStore("sqlite");
    await cached(db, "key", async () => "old");

    const failing = write(db, async () => {
      throw new Error("disk on fire");
    });
    await expect(failing).rejects.toThrow("disk on fire");

    expect(await cached(db, "key", async () => "new")).toBe("new");
  });

  test("a failed load is not kept", async () => {
    const db = await emptyStore("sqlite");

    await expect(cached(db, "key", () => Promise.reject(new Error("no")))).rejects.toThrow("no");

    expect(await cached(db, "key", async () => "yes")).toBe("yes");
  });

  test("it is bounded, and unknown names do not push out known ones", async () => {
    const db = await emptyStore("sqlite");
    await cached(db, "known", async () => "kept");

    for (let index = 0; index < 20_100; index++) await cached(db, `unknown ${index}`, async () => null);
    expect(db.cache?.missing.size()).toBeLessThanOrEqual(20_000);
    expect(await cached(db, "known", async () => "lost")).toBe("kept");

    for (let index = 0; index < 10_100; index++) await cached(db, `found ${index}`, async () => index);
    expect(db.cache?.found.size()).toBeLessThanOrEqual(20_000);
  });

  test("answers that callers share cannot be changed by one of them", async () => {
    const db = await emptyStore("sqlite");
    const { namespaceId } = await storedNamespace(db);
    await findNamespaceById(db, namespaceId);

    const shared = await findNamespaceById(db, namespaceId);

    expect(Object.isFrozen(shared)).toBe(true);
    expect(Object.isFrozen(shared?.domainPublicAuth)).toBe(true);
  });

  test("noting a token's use leaves the cache alone", async () => {
    const db = await emptyStore("sqlite");
    const { gameId } = await storedGame(db);
    const made = token({ gameId });
    await insertToken(db, made);
    await findTokenByHash(db, made.hash);

    await recordTokenUse(db, new Map([[made.tokenId, now]]));

    expect(db.cache?.found.size()).toBe(1);
  });

  test("on postgresql there is no cache: what another node writes is visible immediately", async () => {
    const db = await emptyStore("postgresql");
    expect(db.cache).toBeNull();
    const { gameId } = await storedGame(db);
    expect(await namespaceNameExists(db, gameId, "prod")).toBe(false);

    await storedNamespace(db, { gameId, nameId: "prod" });

    expect(await namespaceNameExists(db, gameId, "prod")).toBe(true);
  });
});

/** A store without other writers, so that it caches what it reads. */
async function ownStore(kind: StoreKind): Promise<Db> {
  const { databaseUrl } = await freshDatabase(kind);
  const db = await openDb({ databaseUrl, dataDir: await folder(), mayKeep: () => true });
  onTestFinished(() => db.close());
  return db;
}

/** Puts an answer into the cache and gives how often it has been loaded since. */
async function keptAnswer(db: Db, about: string) {
  let loads = 0;
  const ask = () =>
    cached(
      db,
      "key",
      async () => {
        loads++;
        return { about };
      },
      (value) => [value.about],
    );
  await ask();
  return async () => {
    loads = 0;
    await ask();
    return loads;
  };
}

describe.each(storeKinds)("what a change leaves in the cache on %s", (kind) => {
  test("[RF25] a change that is refused or rolled back invalidates nothing", async () => {
    const db = await ownStore(kind);
    const owner = await storedGame(db);
    const stored = await storedNamespace(db, owner);
    const loads = await keptAnswer(db, stored.namespaceId);

    expect(await insertGame(db, game({ nameId: owner.nameId }))).toBe("NAME_TAKEN");
    expect(await insertToken(db, token({ gameId: newId() }))).toBe("OWNER_NOT_FOUND");
    expect(await revokeToken(db, { gameId: owner.gameId, namespaceId: null }, newId(), now)).toBeNull();
    expect(await removeDomain(db, stored.namespaceId, "example.com")).toBe(false);
    expect(await deleteGame(db, newId())).toBe(false);

    expect(await loads()).toBe(0);
  });

  test("[RF27] a change is about its own game, namespace or token; pruning is about the tokens that are gone", async () => {
    const db = await ownStore(kind);
    const [mine, other] = [await storedNamespace(db), await storedNamespace(db)];
    const loads = await keptAnswer(db, mine.namespaceId);

    await setMatchmakerConfig(db, other.namespaceId, { lobbyCountMax: 1, maxPlayers: 1 });
    const revoked = token({ gameId: other.gameId, revokeTs: now - 1 });
    await insertToken(db, revoked);
    expect(await prune(db, { before: now, now })).toBe(1);
    await deleteGame(db, other.gameId);
    expect(await loads()).toBe(0);

    await setMatchmakerConfig(db, mine.namespaceId, { lobbyCountMax: 1, maxPlayers: 1 });
    expect(await loads()).toBe(1);
    expect((await findNamespaceById(db, mine.namespaceId))?.lobbyCountMax).toBe(1);
  });

  test("[RF27] deleting a game drops cached data of its namespaces, domains and tokens", async () => {
    const db = await ownStore(kind);
    const { gameId, namespaceId } = await storedNamespace(db);
    const made = token({ gameId, namespaceId, kind: "pub" });
    await insertToken(db, made);
    await addDomain(db, { namespaceId, domain: "play.example.com", createTs: now, domainsMax: 5 });
    const look = () =>
      Promise.all([
        findTokenByHash(db, made.hash),
        findNamespaceById(db, namespaceId),
        findNamespaceByDomain(db, "play.example.com"),
        findGame(db, gameId),
      ]);
    for (const row of await look()) expect(row).not.toBeNull();

    await deleteGame(db, gameId);

    expect(await look()).toEqual([null, null, null, null]);
    expect(await listDomains(db, namespaceId)).toEqual([]);
  });

  test("[RF25] an unconfirmed answer is used while the store is unavailable, and read again when it answers", async () => {
    const db = await ownStore(kind);
    let answer = async () => "old";
    const ask = () => cached(db, "key", () => answer());
    await ask();
    changed(db, "unconfirmed");
    answer = () => Promise.reject(new StoreUnavailable("away"));
    expect(await ask()).toBe("old");
    answer = async () => "new";
    await until(async () => (await ask()) === "new");
    // After an error that waiting does not resolve, unconfirmed data must not be used.
    changed(db, "unconfirmed");
    answer = () => Promise.reject(new Error("broken"));
    await expect(ask()).rejects.toThrow("broken");
  });
});

describe("a connection to PostgreSQL that breaks", () => {
  const breakIt = sql`select pg_terminate_backend(pg_backend_pid())`;

  test("[RF25] before the commit: the change was not made, and cached data stays confirmed", async () => {
    const db = await ownStore("postgresql");
    const loads = await keptAnswer(db, newId());
    const change = transact<boolean>(db, "everything", async (transaction) => {
      await breakIt.execute(transaction);
      return true;
    });
    await expect(change).rejects.toThrow(StoreUnavailable);
    expect(await loads()).toBe(0);
  });

  test("[RF25] during a single statement: the outcome is unknown, and cached data is read again", async () => {
    const db = await ownStore("postgresql");
    const loads = await keptAnswer(db, newId());
    await expect(write(db, () => breakIt.execute(db.query))).rejects.toThrow(StoreUnavailable);
    expect(await loads()).toBe(1);
  });

  test("[RF25] before anything was sent, because there is no server: cached data stays confirmed", async () => {
    const db = await ownStore("postgresql");
    const loads = await keptAnswer(db, newId());
    const nowhere = new pg.Pool({ host: "127.0.0.1", port: await freePort() });
    onTestFinished(() => nowhere.end());
    const refused = write(db, async () => {
      await nowhere.connect().catch((fault: unknown) => {
        throw toStoreError(fault, { isUndone: true });
      });
    });
    await expect(refused).rejects.toThrow(StoreUnavailable);
    expect(await loads()).toBe(0);
  });
});

describe.each(storeKinds)("transactions on %s", (kind) => {
  test("others wait for the end of a transaction, see nothing of it before, and survive its undoing", async () => {
    const db = await emptyStore(kind);
    const undone = game({ nameId: "undone" });
    const other = game({ nameId: "other" });
    const inserted = deferred<void>();
    const proceed = deferred<void>();

    const transaction = db.query.transaction().execute(async (inside) => {
      const row = { game_id: undone.gameId, name_id: "undone", display_name: "Undone", create_ts: now };
      await inside.insertInto("games").values(row).execute();
      inserted.resolve();
      await proceed.promise;
      throw new Error("undo");
    });
    await inserted.promise;
    const insertion = insertGame(db, other);
    expect(await findGame(db, "undone")).toBeNull();
    proceed.resolve();

    await expect(transaction).rejects.toThrow("undo");
    expect(await insertion).toBe("ok");
    expect(await findGame(db, "other")).toEqual(other);
    expect(await findGame(db, "undone")).toBeNull();
  });
});
