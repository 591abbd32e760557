import { expect, test } from "vitest";
import { createMemoryEngine } from "../../src/engine/memory/memory.ts";
import { createNamespaceConfigs } from "../../src/operations/namespace-configs.ts";
import { noOtherWriters } from "../../src/store/db.ts";
import { openDb } from "../../src/store/open-db.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { freshDatabase } from "../support/services/stores.ts";
import { atOnce, folder, now, storedGame, storedNamespace, storedVersion } from "./fixtures.ts";

const document = { regions: { local: {} }, game_modes: { duel: { max_players: 2, runtime: { external: {} } } } };

test("[O21] more namespaces than connections are locked at the same time, and none waits for another", async () => {
  const invalidation = { ...noOtherWriters, isOnlyWriter: false };
  const db = await openDb({
    ...(await freshDatabase("postgresql")),
    dataDir: await folder(),
    mayKeep: () => true,
    invalidation,
  });
  try {
    const { gameId } = await storedGame(db);
    const ids: string[] = [];
    for (let count = 0; count < 24; count++) {
      const { versionId } = await storedVersion(db, { gameId, config: JSON.stringify(document) });
      ids.push((await storedNamespace(db, { gameId, versionId })).namespaceId);
    }
    const engine = await createMemoryEngine(createMemoryJournal());
    const configs = createNamespaceConfigs(db, engine, () => now);

    await atOnce(ids.length, (index) => configs.renew(ids[index]!, 1));

    const counts = await atOnce(ids.length, (index) => engine.read({ type: "counts", namespaceId: ids[index]!, now }));
    expect(counts.map(({ revision }) => revision)).toEqual(ids.map(() => 1));
  } finally {
    await db.close();
  }
});
