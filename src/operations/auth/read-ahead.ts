import type { Logger } from "../../ground/log.ts";
import { findNamespaceByDomain, listDomains } from "../../store/domains.ts";
import { readTokensAhead } from "../../store/tokens.ts";
import { listDeployments } from "../../store/versions.ts";
import type { Context } from "../context.ts";

/** Lobbies seldom live so long that older versions are needed. */
const versionsMax = 20;

/**
 * Every node reads the data of requests before they need it, so that it can continue while the store is unavailable,
 * also with versions and tokens that came from another node.
 */
export function readAhead({ db, engine, configs }: Context, log: Logger): void {
  /** Ids of tokens to read; null among them means all recent tokens. */
  const wanted = new Set<string | null>([null]);
  let isReading = false;
  const attempt = (work: () => Promise<void>, what: object) =>
    work().catch((err: unknown) =>
      log.debug({ err, ...what }, "data could not be read into the cache; the next request reads it"),
    );

  async function learn(namespaceId: string): Promise<void> {
    await configs.renew(namespaceId, 0);
    const config = await configs.get(namespaceId);
    if (config === null) return;
    for (const { domain } of await listDomains(db, namespaceId)) await findNamespaceByDomain(db, domain);
    const deployments = await listDeployments(db, namespaceId, { after: null, limit: versionsMax });
    const versionIds = new Set(deployments.map(({ versionId }) => versionId));
    for (const versionId of versionIds) await configs.readVersion(config.gameId, versionId);
  }

  async function learnAll(): Promise<void> {
    await db.invalidation.check();
    await learnTokens();
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      await attempt(() => learn(namespaceId), { namespace_id: namespaceId });
    }
  }

  async function learnTokens(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (wanted.size > 0 && !db.isClosed()) {
        const ids = [...wanted];
        wanted.clear();
        const known = ids.filter((id) => id !== null);
        const isKept = await readTokensAhead(db, known.length < ids.length ? null : known);
        if (!isKept) for (const id of ids) wanted.add(id);
      }
    } finally {
      isReading = false;
    }
  }

  async function listen(): Promise<void> {
    for await (const event of engine.events(({ type }) => type === "namespace.configured")) {
      await attempt(() => learn(event.namespaceId), { namespace_id: event.namespaceId });
    }
  }

  db.onChange((change) => {
    if (change === "unconfirmed") return;
    for (const id of change === "everything" ? [null] : change) wanted.add(id);
    void attempt(learnTokens, {});
  });
  void attempt(learnAll, {});
  void listen();
}
