import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { settings } from "./config-settings.ts";
import { ensureAdminToken, ensureSecret, openDataFolder, secretFromText } from "./data-folder.ts";
import { openDemo } from "./demo.ts";
import { createMemoryEngine } from "./engine/memory/memory.ts";
import { createSqliteJournal } from "./engine/memory/sqlite-journal.ts";
import { createHttpServer } from "./http/server.ts";
import { createIds, createRequestIds } from "./ids.ts";
import type { Logger } from "./log.ts";
import { createExpire } from "./loops/expire.ts";
import { createKeepIdle, type PlanWarm } from "./loops/keep-idle.ts";
import { record } from "./loops/record.ts";
import { repeat } from "./loops/repeat.ts";
import { supervise } from "./loops/supervise.ts";
import { createMetrics, type Metrics, startMetricsServer } from "./metrics.ts";
import { createAuthenticate } from "./operations/authenticate.ts";
import type { Context } from "./operations/context.ts";
import { createCreationBudget } from "./operations/creation-budget.ts";
import { createHappenings } from "./operations/happenings.ts";
import { createHandlers } from "./operations/index.ts";
import { checkLobby } from "./operations/lobby-calls.ts";
import { describeLobby, planWarm, portsText } from "./operations/lobby-start.ts";
import { mockOperations } from "./operations/mocks.ts";
import { createNamespaceConfigs } from "./operations/namespace-configs.ts";
import { createTokenUses } from "./operations/token-uses.ts";
import { createWaiting } from "./operations/waiting.ts";
import { createProcessRuntime } from "./runtime/process.ts";
import { portRangeOf } from "./runtime/process-ports.ts";
import type { Runtime } from "./runtime/runtime.ts";
import { createStartGate } from "./runtime/start-gate.ts";
import { type Db, openDb } from "./store/db.ts";
import { holdDatabase } from "./store/only-node.ts";
import { prune } from "./store/retention.ts";
import { createDerivedTokens } from "./tokens.ts";

const tokenUsesEveryMs = 30_000;
const expireEveryMs = 200;
const keepIdleEveryMs = 500;
const catchUpEveryMs = 10_000;
const pruneEveryMs = 60 * 60_000;
/** A waiting request costs memory and a connection, but no work. */
const waitersPerInFlight = 10;
/** No namespace has it. */
const nilId = "00000000-0000-0000-0000-000000000000";
const dayMs = 24 * 60 * 60_000;

export interface RunningFoyer {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Where the example game can be played; null: it is not offered. */
  readonly demoUrl: string | null;
  readonly dataDir: string;
  /** `path`: the file that holds it, or null when the configuration gave it. */
  readonly adminToken: { readonly token: string; readonly path: string | null };
  /** Stops accepting, finishes what is under way, writes everything down. Lobbies run on unless they are to be stopped. */
  close(options?: { readonly stopLobbies?: boolean }): Promise<void>;
}

/** What tests put in place of the real thing. */
export interface Injected {
  readonly runtime?: Runtime;
  readonly now?: () => number;
}

type Close = () => Promise<unknown> | unknown;

/** The composition root: opens the stores, puts the parts together and listens. What was opened is closed if a later step fails. */
export async function startFoyer(config: Config, log: Logger, injected: Injected = {}): Promise<RunningFoyer> {
  const opened: Close[] = [];
  try {
    return await start(config, log, injected, opened);
  } catch (fault) {
    await closeAll(opened);
    throw fault;
  }
}

async function start(config: Config, log: Logger, injected: Injected, opened: Close[]): Promise<RunningFoyer> {
  const now = injected.now ?? Date.now;
  const newId = createIds(now);
  const folder = await openDataFolder(config.dataDir);
  opened.push(() => folder.release());
  const adminToken = ensureAdminToken(folder, config.adminToken);
  const previousSecret = config.previousSecret === null ? null : secretFromText(config.previousSecret);
  const tokens = createDerivedTokens(ensureSecret(folder, config.secret), previousSecret);
  const db = await openStore(config, folder.path, log, opened);
  const { engine, journal } = await openEngine(folder.path, now, log);
  opened.push(() => engine.close());

  const tokenUses = createTokenUses(db);
  opened.push(() => tokenUses.flush());
  const configs = createNamespaceConfigs(db, engine, now);
  const waiting = createWaiting(engine, {
    waitMs: config.findWaitS * 1000,
    waitersMax: config.maxInFlight * waitersPerInFlight,
    now,
  });
  const creationBudget = createCreationBudget(config.lobbyCreationBudget);
  const happenings = createHappenings(engine, { now, newId });
  const startsProcesses = injected.runtime !== undefined || config.runtimes.includes("process");
  // Also open when it may start nothing: lobbies of an earlier run are still to be watched and stopped.
  const driver = injected.runtime ?? (await openRuntime(config, folder.path, now));
  opened.push(() => driver.close());
  const runtime = startsProcesses ? driver : null;
  const gate = createStartGate();
  const context: Context = {
    db,
    config,
    tokens,
    tokenUses,
    engine,
    configs,
    waiting,
    creationBudget,
    happenings,
    runtime,
    gate,
    now,
    newId,
  };

  const metrics = createMetrics();
  const metricsServer = await openMetrics(config, metrics, log);
  opened.push(() => metricsServer?.close());

  const handlers = createHandlers(context);
  const playPage = await openDemo(config, handlers, folder.path, log);
  const http = createHttpServer({
    config,
    log,
    metrics,
    handlers,
    playPage,
    mocks: mockOperations(context),
    authenticate: createAuthenticate(context, adminToken.token),
    newRequestId: createRequestIds(newId().slice(-12)),
    isStoreBehind: journal.isBehind,
    waitingCount: waiting.count,
    checkLobby: (caller) => checkLobby(context, caller),
    async checkReady() {
      await db.ping();
      await engine.read({ type: "counts", namespaceId: nilId, now: now() });
    },
  });
  const recorder = await record({ engine, db, log, now });
  opened.push(() => recorder.stop());
  // Requests come in as soon as the port is open, which is before its address is known here.
  let beginListening = () => {};
  const listening = new Promise<void>((resolveBegun) => {
    beginListening = resolveBegun;
  }).then(() => http.app.listen({ host: config.host, port: config.port }));
  const urlKnown = listening.then((address) => config.publicUrl ?? address);
  // Before the first request, so that no find is sent to a lobby whose server died while the service was down.
  const supervisor = await supervise({
    engine,
    runtime: driver,
    gate,
    log,
    now,
    describe: async (namespaceId, lobby) => describeLobby(context, await urlKnown, namespaceId, lobby),
    portsText,
  });
  opened.push(() => supervisor.stop());
  beginListening();
  const url = await urlKnown;
  opened.push(() => http.close());

  const tasks: [task: string, everyMs: number, run: () => Promise<unknown>][] = [
    ["writing down when tokens were used", tokenUsesEveryMs, () => tokenUses.flush()],
    ["pruning", pruneEveryMs, () => prune(db, { before: now() - config.retentionDays * dayMs })],
    ["ending what is due", expireEveryMs, createExpire(engine, now)],
    ["catching up with the history of lobbies", catchUpEveryMs, () => recorder.catchUp()],
  ];
  if (runtime) {
    const plan: PlanWarm = (namespaceId, pair) => planWarm(context, namespaceId, pair);
    tasks.push(["starting lobbies ahead of need", keepIdleEveryMs, createKeepIdle(engine, now, plan)]);
  }
  const loops = tasks.map(([task, everyMs, run]) =>
    repeat(everyMs, run, (fault) => log.error({ err: fault }, `${task} failed and will be tried again`)),
  );
  const stopLoops = () => Promise.all(loops.map((loop) => loop.stop()));
  opened.push(stopLoops);

  return {
    url,
    metricsUrl: metricsServer?.url ?? null,
    demoUrl: playPage && `${url}/play`,
    dataDir: folder.path,
    adminToken,
    async close({ stopLobbies = false } = {}) {
      http.beginStopping();
      waiting.stop();
      await stopLoops();
      if (stopLobbies) await supervisor.stopLobbies();
      await closeAll(opened);
    },
  };
}

/** Null when metrics are off. A second service on one machine should start even if nobody gave it a port for these. */
async function openMetrics({ metricsHost: host, metricsPort: port }: Config, metrics: Metrics, log: Logger) {
  if (port === null) return null;
  try {
    return await startMetricsServer(metrics, { host, port });
  } catch (fault) {
    const isTaken = fault instanceof Error && "code" in fault && fault.code === "EADDRINUSE";
    if (!isTaken || port !== settings.metrics_port.fallback) throw fault;
    log.warn({ port }, "the usual port for metrics is in use; they get any free one");
    return startMetricsServer(metrics, { host, port: 0 });
  }
}

/** The control plane's store; a PostgreSQL one is held for this node alone, because live state is in its memory. */
async function openStore(config: Config, dataDir: string, log: Logger, opened: Close[]): Promise<Db> {
  const { databaseUrl } = config;
  let isOnlyWriter = () => true;
  if (databaseUrl !== null) {
    const hold = await holdDatabase(databaseUrl, (fault) => {
      log.fatal({ err: fault }, "the database was taken over while the connection to it was broken; the service ends");
      process.kill(process.pid, "SIGTERM");
    });
    opened.push(() => hold.release());
    isOnlyWriter = hold.isOurs;
  }
  const db = await openDb({ databaseUrl, dataDir, isOnlyWriter });
  opened.push(() => db.close());
  return db;
}

/** The driver of lobby processes. It starts none when the operator does not want any on this machine. */
async function openRuntime(config: Config, dataDir: string, now: () => number): Promise<Runtime> {
  const startsProcesses = config.runtimes.includes("process");
  const publicHost = config.publicUrl === null ? "127.0.0.1" : new URL(config.publicUrl).hostname;
  return createProcessRuntime({
    dataDir,
    lobbyRoot: resolve(config.lobbyRoot),
    hostname: config.lobbyHostname ?? publicHost,
    ports: portRangeOf(config.lobbyPorts),
    processesMax: startsProcesses ? config.maxLobbyProcesses : 0,
    stopGraceMs: config.lobbyStopGraceS * 1000,
    logMaxBytes: config.lobbyLogKib * 1024,
    user: startsProcesses ? config.lobbyUser : null,
    now,
  });
}

/** The embedded engine, with everything that came due while the service was down ended before the first request. */
async function openEngine(dataDir: string, now: () => number, log: Logger) {
  const journal = createSqliteJournal({
    dataDir,
    onSyncFailure(fault) {
      // What is on the disk is unknown from here on; only a new process that reads it again can tell.
      log.fatal({ err: fault }, "the disk failed to keep what was written; the service ends at once");
      process.kill(process.pid, "SIGKILL");
    },
  });
  const engine = await createMemoryEngine(journal);
  await createExpire(engine, now)();
  return { engine, journal };
}

/** In the reverse order of opening; one failure does not keep the rest open. */
async function closeAll(opened: Close[]): Promise<void> {
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
