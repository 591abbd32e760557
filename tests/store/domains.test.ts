import type { KyselyPlugin } from "kysely";
import { describe, expect, test } from "vitest";
import type { Db } from "../../src/store/db.ts";
import {
  addDomain,
  findNamespaceByDomain,
  listDomains,
  listDomainsByNamespace,
  removeDomain,
} from "../../src/store/domains.ts";
import { findNamespaceById } from "../../src/store/namespaces.ts";
import { storeKinds } from "../support/services/stores.ts";
import { atOnce, emptyStore, newId, now, storedNamespace, tally } from "./fixtures.ts";

const add = (db: Db, namespaceId: string, domain: string) =>
  addDomain(db, { namespaceId, domain, createTs: now, domainsMax: 32 });

const revisionOf = async (db: Db, namespaceId: string) => (await findNamespaceById(db, namespaceId))?.revision;

describe.each(storeKinds)("domains on %s", (kind) => {
  test("an added domain leads to its namespace, and the list is sorted by bytes", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);

    for (const domain of ["b.example.com", "a-b.example.com", "ab.example.com", "a.example.com"]) {
      expect(await add(db, namespaceId, domain)).toBe("added");
    }

    const domains = await listDomains(db, namespaceId);
    expect(domains.map(({ domain }) => domain)).toEqual([
      "a-b.example.com",
      "a.example.com",
      "ab.example.com",
      "b.example.com",
    ]);
    expect(domains[0]?.createTs).toBe(now);
    expect(await findNamespaceByDomain(db, "a.example.com")).toEqual(await findNamespaceById(db, namespaceId));
    expect(await findNamespaceByDomain(db, "example.com")).toBeNull();
    expect(await revisionOf(db, namespaceId)).toBe(5);
  });

  test("the domains of many namespaces are each one's own, in one query", async () => {
    const db = await emptyStore(kind);
    const [first, second, bare, unasked] = await atOnce(4, () => storedNamespace(db));
    await add(db, second!.namespaceId, "c.example.com");
    await add(db, first!.namespaceId, "b.example.com");
    await add(db, first!.namespaceId, "a-b.example.com");
    await add(db, unasked!.namespaceId, "d.example.com");
    const queries: string[] = [];
    const counting = { ...db, query: db.query.withPlugin(noting(queries)) };

    const found = await listDomainsByNamespace(
      counting,
      [first!, second!, bare!].map(({ namespaceId }) => namespaceId),
    );

    expect([...found]).toEqual([
      [first!.namespaceId, await listDomains(db, first!.namespaceId)],
      [second!.namespaceId, await listDomains(db, second!.namespaceId)],
      [bare!.namespaceId, []],
    ]);
    expect(queries).toEqual(["SelectQueryNode"]);
    expect((await listDomainsByNamespace(counting, [])).size).toBe(0);
  });

  test("[D5] [M6] a refused or repeated add leaves the revision as it was", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const other = await storedNamespace(db);
    await add(db, namespaceId, "play.example.com");

    expect(await add(db, namespaceId, "play.example.com")).toBe("present");
    expect(await add(db, other.namespaceId, "play.example.com")).toBe("TAKEN");
    expect(await add(db, newId(), "new.example.com")).toBe("NAMESPACE_NOT_FOUND");
    const full = { namespaceId, domain: "new.example.com", createTs: now, domainsMax: 1 };
    expect(await addDomain(db, full)).toBe("TOO_MANY");

    expect(await revisionOf(db, namespaceId)).toBe(2);
    expect(await revisionOf(db, other.namespaceId)).toBe(1);
    expect(await findNamespaceByDomain(db, "new.example.com")).toBeNull();
  });

  test("[D5] a full namespace still knows the domains it has", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const one = { namespaceId, domain: "play.example.com", createTs: now, domainsMax: 1 };
    await addDomain(db, one);

    expect(await addDomain(db, one)).toBe("present");
  });

  test("[D8] [D9] a removed domain is free for others; only its own namespace can remove it", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);
    const other = await storedNamespace(db);
    await add(db, namespaceId, "play.example.com");

    expect(await removeDomain(db, other.namespaceId, "play.example.com")).toBe(false);
    expect(await removeDomain(db, namespaceId, "other.example.com")).toBe(false);
    expect(await revisionOf(db, namespaceId)).toBe(2);
    expect(await removeDomain(db, namespaceId, "play.example.com")).toBe(true);

    expect(await revisionOf(db, namespaceId)).toBe(3);
    expect(await revisionOf(db, other.namespaceId)).toBe(1);
    expect(await listDomains(db, namespaceId)).toEqual([]);
    expect(await add(db, other.namespaceId, "play.example.com")).toBe("added");
  });

  test("[D6] 32 adds of one domain at once: one namespace gets it, once", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);

    const same = await atOnce(32, () => add(db, namespaceId, "play.example.com"));
    expect(tally(same)).toEqual({ added: 1, present: 31 });
    expect(await revisionOf(db, namespaceId)).toBe(2);

    const namespaces = await atOnce(8, () => storedNamespace(db));
    const spread = await atOnce(32, (index) => add(db, namespaces[index % 8]!.namespaceId, "other.example.com"));
    expect(tally(spread)).toEqual({ added: 1, present: 3, TAKEN: 28 });
  });

  test("[D7] 40 different domains at once: exactly 32 are added", async () => {
    const db = await emptyStore(kind);
    const { namespaceId } = await storedNamespace(db);

    const answers = await atOnce(40, (index) => add(db, namespaceId, `d${index}.example.com`));

    expect(tally(answers)).toEqual({ added: 32, TOO_MANY: 8 });
    expect(await listDomains(db, namespaceId)).toHaveLength(32);
    expect(await revisionOf(db, namespaceId)).toBe(33);
  });

  test("adds and removes of one domain from two namespaces at once never end in a deadlock", async () => {
    const db = await emptyStore(kind);
    const namespaces = [await storedNamespace(db), await storedNamespace(db)];

    const answers = await atOnce(60, async (index) => {
      const { namespaceId } = namespaces[index % 2]!;
      if (index % 3 === 0) return removeDomain(db, namespaceId, "play.example.com");
      return add(db, namespaceId, "play.example.com");
    });

    expect(answers).toHaveLength(60);
  });
});

function noting(queries: string[]): KyselyPlugin {
  return {
    transformQuery({ node }) {
      queries.push(node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}
