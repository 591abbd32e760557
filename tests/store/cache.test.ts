import { describe, expect, test } from "vitest";
import { cached, write } from "../../src/store/cache.ts";
import { findGame, insertGame } from "../../src/store/games.ts";
import { findNamespaceById, namespaceNameExists } from "../../src/store/namespaces.ts";
import { findTokenByHash, insertToken, recordTokenUse } from "../../src/store/tokens.ts";
import { storeKinds } from "../services/stores.ts";
import { deferred, emptyStore, game, now, storedGame, storedNamespace, token } from "./fixtures.ts";

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

  test("on postgresql there is none: what another node writes is seen at once", async () => {
    const db = await emptyStore("postgresql");
    expect(db.cache).toBeNull();
    const { gameId } = await storedGame(db);
    expect(await namespaceNameExists(db, gameId, "prod")).toBe(false);

    await storedNamespace(db, { gameId, nameId: "prod" });

    expect(await namespaceNameExists(db, gameId, "prod")).toBe(true);
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
