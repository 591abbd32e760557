import { describe, expect, test } from "vitest";
import { type Block, blocksAt, listBlocks, removeBlock, setBlock } from "../../src/store/blocks.ts";
import type { Db } from "../../src/store/db.ts";
import { findNamespaceById } from "../../src/store/namespaces.ts";
import { prune } from "../../src/store/retention.ts";
import { storeKinds } from "../support/services/stores.ts";
import { atOnce, deleteNamespace, emptyStore, firstPage, newId, now, storedNamespace, tally } from "./fixtures.ts";

const blockOf = (client: string, more: Partial<Block> = {}): Block => ({
  ...{ client, createTs: now, untilTs: null, note: null },
  ...more,
});
const set = (db: Db, namespaceId: string, block: Block, blocksMax = 1000) =>
  setBlock(db, { blockId: newId(), namespaceId, block, blocksMax });
const revisionOf = async (db: Db, namespaceId: string) => (await findNamespaceById(db, namespaceId))?.revision ?? 0;

describe.each(storeKinds)("blocks on %s", (kind) => {
  test("[BL5] [M6] setting replaces, removing removes, and both raise the revision only where they change something", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const before = await revisionOf(db, namespaceId);
    expect(await set(db, namespaceId, blockOf("192.0.2.1", { note: "first" }))).toBe("ok");
    expect(await set(db, namespaceId, blockOf("192.0.2.1", { note: "second", createTs: now + 1 }))).toBe("ok");
    expect(await listBlocks(db, namespaceId, firstPage, now)).toEqual([
      blockOf("192.0.2.1", { note: "second", createTs: now + 1 }),
    ]);
    expect(await removeBlock(db, namespaceId, "192.0.2.2")).toBe(false);
    expect(await revisionOf(db, namespaceId)).toBe(before + 2);
    expect(await removeBlock(db, namespaceId, "192.0.2.1")).toBe(true);
    expect(await revisionOf(db, namespaceId)).toBe(before + 3);
    expect(await set(db, newId(), blockOf("192.0.2.1"))).toBe("NAMESPACE_NOT_FOUND");
  });

  test("[BL4] [BL5] the list is by client, in pages, without those that are over", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const other = await storedNamespace(db);
    await set(db, other.namespaceId, blockOf("192.0.2.9"));
    for (const client of ["2001:db8::/64", "192.0.2.1", "192.0.2.0/24"]) await set(db, namespaceId, blockOf(client));
    await set(db, namespaceId, blockOf("10.0.0.1", { untilTs: now + 5 }));
    const clients = async (at: number, page = firstPage) =>
      (await listBlocks(db, namespaceId, page, at)).map(({ client }) => client);
    expect(await clients(now + 4)).toEqual(["10.0.0.1", "192.0.2.0/24", "192.0.2.1", "2001:db8::/64"]);
    expect(await clients(now + 5)).toEqual(["192.0.2.0/24", "192.0.2.1", "2001:db8::/64"]);
    expect(await clients(now + 5, { after: "192.0.2.0/24", limit: 1 })).toEqual(["192.0.2.1"]);
    expect(await blocksAt(db, namespaceId, await revisionOf(db, namespaceId))).toHaveLength(4);
  });

  test("[BL6] of concurrent blocks no more are set than there may be; those over make room", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    await set(db, namespaceId, blockOf("10.0.0.1", { untilTs: now + 5 }));
    let number = 0;
    const outcomes = await atOnce(8, () => set(db, namespaceId, blockOf(`10.1.0.${number++}`), 4));
    expect(tally(outcomes)).toEqual({ ok: 3, TOO_MANY: 5 });
    expect(await set(db, namespaceId, blockOf("10.2.0.1", { createTs: now + 5 }), 4)).toBe("ok");
    expect(await set(db, namespaceId, blockOf("10.2.0.2", { createTs: now + 5 }), 4)).toBe("TOO_MANY");
  });

  test("[GP4] those that are over are pruned, which is no change of the namespace", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    for (const [client, untilTs] of [
      ["10.0.0.1", now + 4],
      ["10.0.0.2", now + 5],
      ["10.0.0.3", now + 6],
      ["10.0.0.4", null],
    ] as const) {
      await set(db, namespaceId, blockOf(client, { untilTs }));
    }
    const revision = await revisionOf(db, namespaceId);
    const received: unknown[] = [];
    db.changeListeners.push((change) => received.push(change));

    expect(await prune(db, { before: now, now: now + 5 })).toBe(2);

    expect(received).toEqual([]);
    expect(await revisionOf(db, namespaceId)).toBe(revision);
    const left = await blocksAt(db, namespaceId, revision);
    expect(left.map(({ client }) => client).sort()).toEqual(["10.0.0.3", "10.0.0.4"]);
  });

  test("[BL9] [G5] they go with their namespace", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    await set(db, namespaceId, blockOf("10.0.0.1"));
    await deleteNamespace(db, namespaceId);
    expect(await listBlocks(db, namespaceId, firstPage, now)).toEqual([]);
  });
});
