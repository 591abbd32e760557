import { cached } from "./cache.ts";
import type { Db } from "./db.ts";
import { aboutNamespace, type Namespace, type NamespaceRow, namespaceColumns, toNamespace } from "./namespace-row.ts";
import { type PreparedRead, parameter, readRow, readRows } from "./read.ts";
import { transact } from "./transaction.ts";

export interface Domain {
  readonly domain: string;
  readonly createTs: number;
}

/**
 * Adds a domain and raises the namespace's revision. Raising comes first because it locks the namespace's row: adds to
 * one namespace happen one after another, so the count is exact.
 */
export function addDomain(
  db: Db,
  request: { namespaceId: string; domain: string; createTs: number; domainsMax: number },
): Promise<"added" | "present" | "TAKEN" | "TOO_MANY" | "NAMESPACE_NOT_FOUND"> {
  const { namespaceId, domain, createTs, domainsMax } = request;
  return transact(db, [namespaceId], async (transaction, undo) => {
    const locked = await transaction
      .updateTable("namespaces")
      .set((update) => ({ revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    if (locked.numUpdatedRows === 0n) throw undo("NAMESPACE_NOT_FOUND");
    const owner = await transaction
      .selectFrom("domains")
      .select("namespace_id")
      .where("domain", "=", domain)
      .executeTakeFirst();
    if (owner) throw undo(owner.namespace_id === namespaceId ? "present" : "TAKEN");
    const { count } = await transaction
      .selectFrom("domains")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("namespace_id", "=", namespaceId)
      .executeTakeFirstOrThrow();
    if (count >= domainsMax) throw undo("TOO_MANY");

    const inserted = await transaction
      .insertInto("domains")
      .values({ domain, namespace_id: namespaceId, create_ts: createTs })
      .onConflict((conflict) => conflict.column("domain").doNothing())
      .executeTakeFirst();
    // Another namespace may have added it since the check above; the constraint decides.
    if (inserted.numInsertedOrUpdatedRows !== 1n) throw undo("TAKEN");
    return "added";
  });
}

/** False: the namespace does not have the domain. The lock order is that of addDomain, so the two cannot deadlock. */
export function removeDomain(db: Db, namespaceId: string, domain: string): Promise<boolean> {
  return transact<boolean>(db, [namespaceId], async (transaction, undo) => {
    await transaction
      .updateTable("namespaces")
      .set((update) => ({ revision: update("revision", "+", 1) }))
      .where("namespace_id", "=", namespaceId)
      .where("delete_ts", "is", null)
      .executeTakeFirst();
    const removed = await transaction
      .deleteFrom("domains")
      .where("domain", "=", domain)
      .where("namespace_id", "=", namespaceId)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n) throw undo(false);
    return true;
  });
}

/** Sorted by domain. */
export function listDomains(db: Db, namespaceId: string): Promise<readonly Domain[]> {
  const read = () => readRows(db, domainsOfNamespace, [namespaceId]);
  return cached(db, `domains ${namespaceId}`, read, () => [namespaceId]);
}

/** Of each of these namespaces, sorted by domain; in one query, for lists of namespaces. */
export async function listDomainsByNamespace(
  db: Db,
  namespaceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Domain[]>> {
  const domainsByNamespace = new Map<string, Domain[]>(namespaceIds.map((namespaceId) => [namespaceId, []]));
  if (namespaceIds.length === 0) return domainsByNamespace;
  const rows = await db.query
    .selectFrom("domains")
    .select(["namespace_id", "domain", "create_ts"])
    .where("namespace_id", "in", namespaceIds)
    .orderBy("domain")
    .execute();
  for (const row of rows)
    domainsByNamespace.get(row.namespace_id)!.push({ domain: row.domain, createTs: row.create_ts });
  return domainsByNamespace;
}

export function findNamespaceByDomain(db: Db, domain: string): Promise<Namespace | null> {
  const read = async () => {
    const row = await readRow(db, namespaceByDomain, [domain]);
    return row && toNamespace(row);
  };
  return cached(db, `domain ${domain}`, read, aboutNamespace);
}

const domainsOfNamespace: PreparedRead<Domain> = {
  name: "domainsOfNamespace",
  build: (query) =>
    query
      .selectFrom("domains")
      .select(["domain", "create_ts as createTs"])
      .where("namespace_id", "=", parameter)
      .orderBy("domain"),
};

const namespaceByDomain: PreparedRead<NamespaceRow> = {
  name: "namespaceByDomain",
  build: (query) =>
    query
      .selectFrom("domains")
      .innerJoin("namespaces", "namespaces.namespace_id", "domains.namespace_id")
      .select(namespaceColumns)
      .where("domains.domain", "=", parameter),
};
