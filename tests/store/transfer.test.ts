import { describe, expect, test } from "vitest";
import { listNamespaces } from "../../src/store/namespaces.ts";
import { countsInWords, tableNames } from "../../src/store/transfer/format.ts";
import { checkDocument, importDocument, StoreNotEmpty } from "../../src/store/transfer/import.ts";
import { storeKinds } from "../support/services/stores.ts";
import { storedGame, storedNamespace, storedVersion } from "./fixtures.ts";
import { at, exported, fill, newPlace, sourceOf, storedHistory } from "./transfer-fixtures.ts";

test("[MD1] [MD3] [BL9] SQLite to PostgreSQL and back: every document is the same, byte for byte", async () => {
  const places = [await newPlace("sqlite"), await newPlace("postgresql"), await newPlace("sqlite")] as const;
  await at(places[0], fill);
  const first = await exported(places[0]);

  const counts = await at(places[1], (db) => importDocument(db, sourceOf(first)));
  const second = await exported(places[1]);
  await at(places[2], (db) => importDocument(db, sourceOf(second)));

  expect(second).toBe(first);
  expect(await exported(places[2])).toBe(first);
  expect(tableNames.map((table) => [table, counts[table]])).toEqual([
    ["games", 2],
    ["versions", 2],
    ["version_images", 1],
    ["builds", 1],
    ["build_uses", 1],
    ["namespaces", 2],
    ["domains", 2],
    ["blocks", 2],
    ["deployments", 2],
    ["tokens", 4],
    ["lobby_history", 3],
  ]);
  expect(first.split("\n")[0]).toContain(
    '"without":["live lobbies","the audit log","sessions","the secret","the admin token"]',
  );
});

describe.each(storeKinds)("on %s", (kind) => {
  test("[MD1] more rows than a page or a statement has, and a store without any, are carried whole", async () => {
    const [source, target, empty] = [await newPlace(kind), await newPlace(kind), await newPlace(kind)];
    await at(source, async (db) => {
      const { gameId, namespaceId } = await storedNamespace(db);
      const { versionId } = await storedVersion(db, { gameId });
      await storedHistory(db, namespaceId, versionId, 1203);
    });
    const document = await exported(source);
    await at(target, (db) => importDocument(db, sourceOf(document, 65_536)));
    expect(await exported(target)).toBe(document);
    expect(document.split("\n")).toHaveLength(1 + 3 + 1203 + 1 + 1);

    await at(empty, async () => {});
    const nothing = await exported(empty);
    expect(await at(empty, (db) => importDocument(db, sourceOf(nothing)))).toEqual(
      await checkDocument(sourceOf(nothing)),
    );
  });

  test("[MD2] a document made while others write is of one moment: all that was answered before, nothing by halves", async () => {
    const [source, target] = [await newPlace(kind), await newPlace(kind)];
    await at(source, async (db) => {
      const before: string[] = [];
      for (let count = 0; count < 20; count++) before.push((await storedNamespace(db)).gameId);
      // Between any two pieces of the document there are new rows in every table: a namespace whose game is not in it,
      // or one that is in it by half, is a torn document.
      const document = await exported(source, async () => {
        const { gameId } = await storedNamespace(db);
        await storedVersion(db, { gameId });
      });

      await checkDocument(sourceOf(document));
      expect(document.match(/^\{"game"/gm)).toHaveLength(before.length);
      await at(target, async (copy) => {
        await importDocument(copy, sourceOf(document));
        for (const gameId of before)
          expect(await listNamespaces(copy, gameId, { after: null, limit: 2 })).toHaveLength(1);
      });
    });
  });

  test("[MD4] a store that is not empty refuses, lists its content, and stays as it is", async () => {
    const [source, target] = [await newPlace(kind), await newPlace(kind)];
    await at(source, fill);
    const document = await exported(source);
    await at(target, (db) => importDocument(db, sourceOf(document)));

    const again = at(target, (db) => importDocument(db, sourceOf(document)));
    await expect(again).rejects.toThrow(
      new StoreNotEmpty(
        "The store is not empty: it has 2 games, 2 versions, 1 version image, 1 build, 1 build use, 2 namespaces, 2 domains, 2 blocks, 2 deployments, 4 tokens, 3 past lobbies.",
      ),
    );
    expect(await exported(target)).toBe(document);
  });

  test("[MD5] when an error comes late, nothing of what came before it is stored", async () => {
    const [source, target] = [await newPlace(kind), await newPlace(kind)];
    await at(source, fill);
    await at(target, async () => {});
    const empty = await exported(target);
    const cut = (await exported(source)).split("\n").slice(0, -2).join("\n");

    await expect(at(target, (db) => importDocument(db, sourceOf(cut)))).rejects.toThrow("cut off after line 23");
    expect(await exported(target)).toBe(empty);
  });

  test("[MD6] a store that this Foyer does not know is refused by name and not touched", async () => {
    const [older, newer] = [await newPlace(kind), await newPlace(kind)];
    await at(older, (db) => db.query.schema.alterTable("games").dropColumn("display_name").execute());
    await at(newer, (db) => db.query.schema.alterTable("tokens").addColumn("colour", "text").execute());
    await expect(exported(older)).rejects.toThrow("was created by an older Foyer: games has no display_name");
    await expect(exported(newer)).rejects.toThrow("was created by a newer Foyer: this version does not know colour");
  });
});

test("[MD6] a path without a store is refused and stays empty", async () => {
  await expect(exported(await newPlace("sqlite"))).rejects.toThrow("There is no database at");
  await expect(exported(await newPlace("postgresql"))).rejects.toThrow("The PostgreSQL database has no table games");
});

test("counts are written as text", async () => {
  const place = await newPlace("sqlite");
  await at(place, async (db) => void (await storedGame(db)));
  const counts = await checkDocument(sourceOf(await exported(place)));
  expect(countsInWords(counts)).toBe("1 game");
  expect(countsInWords({ ...counts, games: 0 })).toBe("nothing");
});
