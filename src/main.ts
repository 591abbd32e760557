import { v7 as newUuid } from "uuid";
import type { Config } from "./config.ts";
import { ensureAdminToken, ensureSecret, openDataFolder, secretFromText } from "./data-folder.ts";
import { createHttpServer } from "./http/server.ts";
import type { Logger } from "./log.ts";
import { repeat } from "./loops/repeat.ts";
import { createMetrics, startMetricsServer } from "./metrics.ts";
import { createAuthenticate } from "./operations/authenticate.ts";
import type { Context } from "./operations/context.ts";
import { createHandlers } from "./operations/index.ts";
import { mockOperations } from "./operations/mocks.ts";
import { createTokenUses } from "./operations/token-uses.ts";
import { openDb } from "./store/db.ts";
import { prune } from "./store/retention.ts";
import { createDerivedTokens } from "./tokens.ts";

const tokenUsesEveryMs = 30_000;
const pruneEveryMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

export interface RunningFoyer {
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly dataDir: string;
  /** `path`: the file that holds it, or null when the configuration gave it. */
  readonly adminToken: { readonly token: string; readonly path: string | null };
  /** Stops accepting, finishes what is under way, writes everything down. */
  close(): Promise<void>;
}

/** The composition root: opens the stores, puts the parts together and listens. What was opened is closed if a later step fails. */
export async function startFoyer(config: Config, log: Logger): Promise<RunningFoyer> {
  const opened: (() => Promise<unknown> | unknown)[] = [];
  try {
    return await start(config, log, opened);
  } catch (fault) {
    await closeAll(opened);
    throw fault;
  }
}

async function start(config: Config, log: Logger, opened: (() => Promise<unknown> | unknown)[]): Promise<RunningFoyer> {
  const folder = await openDataFolder(config.dataDir);
  opened.push(() => folder.release());
  const adminToken = ensureAdminToken(folder, config.adminToken);
  const previousSecret = config.previousSecret === null ? null : secretFromText(config.previousSecret);
  const tokens = createDerivedTokens(ensureSecret(folder, config.secret), previousSecret);
  const db = await openDb({ databaseUrl: config.databaseUrl, dataDir: folder.path });
  opened.push(() => db.close());

  const tokenUses = createTokenUses(db);
  opened.push(() => tokenUses.flush());
  const context: Context = { db, config, tokens, tokenUses, now: Date.now, newId: newUuid };
  const onFault = (task: string) => (fault: unknown) =>
    log.error({ err: fault }, `${task} failed and will be tried again`);
  const loops = [
    repeat(tokenUsesEveryMs, () => tokenUses.flush(), onFault("writing down when tokens were used")),
    repeat(pruneEveryMs, () => prune(db, { before: Date.now() - config.retentionDays * dayMs }), onFault("pruning")),
  ];
  opened.push(() => Promise.all(loops.map((loop) => loop.stop())));

  const metrics = createMetrics();
  const metricsServer =
    config.metricsPort === null
      ? null
      : await startMetricsServer(metrics, { host: config.metricsHost, port: config.metricsPort });
  opened.push(() => metricsServer?.close());

  const http = createHttpServer({
    config,
    log,
    metrics,
    handlers: createHandlers(context),
    mocks: mockOperations(context),
    authenticate: createAuthenticate(context, adminToken.token),
    newId: newUuid,
    checkReady: () => db.ping(),
  });
  const address = await http.app.listen({ host: config.host, port: config.port });
  opened.push(() => http.app.close());

  return {
    url: config.publicUrl ?? address,
    metricsUrl: metricsServer?.url ?? null,
    dataDir: folder.path,
    adminToken,
    async close() {
      http.beginStopping();
      await closeAll(opened);
    },
  };
}

/** In the reverse order of opening; one failure does not keep the rest open. */
async function closeAll(opened: (() => Promise<unknown> | unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (let close = opened.pop(); close; close = opened.pop()) {
    try {
      await close();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
}
