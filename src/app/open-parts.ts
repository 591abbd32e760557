import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { createMemoryEngine } from "../engine/memory/memory.ts";
import { createSqliteJournal, journalFileName } from "../engine/memory/sqlite-journal.ts";
import { type Clock, createClock } from "../ground/clock.ts";
import { watchFiles } from "../ground/file-watch.ts";
import { type Logger, nowAndThen } from "../ground/log.ts";
import { type Metrics, startMetricsServer } from "../ground/metrics.ts";
import type { Holdings } from "../ground/shares.ts";
import { createExpire } from "../loops/expire.ts";
import { listForWatchers } from "../operations/matchmaking/lobby-list.ts";
import { createBoards } from "../operations/watch/boards.ts";
import { createWatchSlots } from "../operations/watch/slots.ts";
import { createProcessRuntime } from "../runtime/process.ts";
import { parsePortRange } from "../runtime/process-ports.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { sqliteFileName } from "../store/backup.ts";
import type { CacheInvalidation, Db } from "../store/db.ts";
import { type HoldKind, holdDatabase } from "../store/only-node.ts";
import { openDb } from "../store/open-db.ts";

/** How the parts of the service are opened, one function each. */

export type Close = () => Promise<unknown> | unknown;

/** The core's time. Without other nodes it follows this machine's wall clock, else that of Redis. */
export function openClock(log: Logger): Clock {
  return createClock({
    wall: () => Date.now(),
    steady: () => performance.now(),
    onApart: (aheadMs) =>
      log.warn(
        { apart_s: Math.round(aheadMs / 100) / 10 },
        "the clock was set: Foyer's time follows it by at most 1 s in 10, so no deadline moves at once; check the machine's time synchronisation",
      ),
    onTogether: () => log.info("Foyer's time agrees with the clock again"),
  });
}

/** A clock that somebody else moves. */
export function clockOf(now: () => number): Clock {
  return { now, follow() {}, startAt() {} };
}

export function followWallClock(clock: Clock): void {
  clock.follow(Date.now() - clock.now());
}

/** Null when metrics are off. A second service on one machine should start even if nobody gave it a port for these. */
export async function openMetrics({ metricsHost: host, metricsPort: port }: Config, metrics: Metrics, log: Logger) {
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

/** The lists of lobbies that players watch. */
export function openWatching(
  { maxWatches, maxWatchesPerNamespace, maxWatchesPerClient }: Config,
  parts: Parameters<typeof listForWatchers>[0],
  log: Logger,
) {
  const limits = { all: maxWatches, perNamespace: maxWatchesPerNamespace, perClient: maxWatchesPerClient };
  const boards = createBoards({
    engine: parts.engine,
    list: (namespaceId, filter) => listForWatchers(parts, namespaceId, filter),
    steadyNow: () => performance.now(),
    onFault: nowAndThen((err: unknown) =>
      log.warn({ err }, "a watched list of lobbies could not be read; trying again"),
    ),
  });
  return { boards, slots: createWatchSlots(limits) };
}

/** The control plane's store. One on PostgreSQL is held, for this node alone or for the nodes that share it. */
export async function openStore(
  config: Config,
  dataDir: string,
  log: Logger,
  opened: Close[],
  { invalidation, hold: kind }: { invalidation: CacheInvalidation; hold: HoldKind },
  whyReadOnly: () => string | null,
): Promise<Db> {
  const { databaseUrl } = config;
  let mayKeep = () => true;
  if (databaseUrl !== null) {
    const onLost = (fault: Error) => {
      log.fatal({ err: fault }, "the database was taken over while the connection to it was broken; the service ends");
      process.kill(process.pid, "SIGTERM");
    };
    const hold = await holdDatabase(databaseUrl, onLost, kind);
    opened.push(() => attempt(log, "letting go of the database", () => hold.release()));
    mayKeep = hold.isOurs;
  }
  const db = await openDb({ databaseUrl, dataDir, mayKeep, whyReadOnly, invalidation });
  opened.push(() => attempt(log, "closing the database", () => db.close()));
  return db;
}

/** The driver of lobby processes. It starts none when the operator does not want any on this machine. */
export async function openRuntime(
  config: Config,
  dataDir: string,
  now: () => number,
  holdings: Holdings,
): Promise<Runtime> {
  const startsProcesses = config.runtimes.includes("process");
  const publicHost = config.publicUrl === null ? "127.0.0.1" : new URL(config.publicUrl).hostname;
  return createProcessRuntime({
    dataDir,
    lobbyRoot: resolve(config.lobbyRoot),
    hostname: config.lobbyHostname ?? publicHost,
    ports: parsePortRange(config.lobbyPorts),
    processesMax: startsProcesses ? config.maxLobbyProcesses : 0,
    stopGraceMs: config.lobbyStopGraceS * 1000,
    logMaxBytes: config.lobbyLogKib * 1024,
    user: startsProcesses ? config.lobbyUser : null,
    now,
    holdings,
  });
}

/** The embedded engine, with everything that came due while the service was down ended before the first request. */
export async function openEmbeddedEngine(dataDir: string, clock: Clock, log: Logger) {
  const journal = createSqliteJournal({
    dataDir,
    onWarning: (message) => log.warn(message),
    onSyncFailure(fault) {
      // What is on the disk is unknown from here on; only a new process that reads it again can tell.
      log.fatal({ err: fault }, "the disk failed to keep what was written; the service ends at once");
      process.kill(process.pid, "SIGKILL");
    },
  });
  const engine = await createMemoryEngine(journal);
  // The wall clock may have been set back since: what has happened already is not in the future.
  let latest = 0;
  for (const state of engine.states().values()) latest = Math.max(latest, state.now);
  clock.startAt(latest);
  await createExpire(engine, { lease: () => ({}) }, clock.now)();
  return { engine, journal };
}

export interface FolderWatch {
  check(): void;
  /** Why nothing may be written any more; null: it may. */
  trouble(): string | null;
}

/** Notices when the files that are open here are deleted or replaced: what is written from then on would not be kept. */
export function watchDataFolder(
  { databaseUrl, redisUrl }: Config,
  dataDir: string,
  log: Logger,
  giveUp: (reason: string) => void,
): FolderWatch {
  const names = [
    "lock.db",
    ...(databaseUrl === null ? [sqliteFileName] : []),
    ...(redisUrl === null ? [journalFileName] : []),
  ];
  const say = nowAndThen((reason: string) => log.error(reason));
  // What several nodes share is in Redis and PostgreSQL: of such a node only the logs and records of its processes are lost.
  const effect = redisUrl === null ? "Foyer takes no changes any more" : "This node is not ready any more";
  const reasonFor = (path: string) =>
    `${path} was deleted or replaced while Foyer runs, so nothing that is written there is kept. ${effect}: ` +
    "restore the data folder from a backup if there is one, and restart Foyer.";
  const watch = watchFiles(
    names.map((name) => join(dataDir, name)),
    (path) => {
      giveUp(reasonFor(path));
      say(reasonFor(path));
    },
  );
  return {
    check: watch.check,
    trouble() {
      const path = watch.gone();
      return path === null ? null : reasonFor(path);
    },
  };
}

const attemptMs = 2_000;

/** What is good to do at the end, but no reason to end badly: a store that is away must not hold up the service's end. */
export async function attempt(log: Logger, what: string, task: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${attemptMs} ms`)), attemptMs);
  });
  try {
    await Promise.race([task(), tooLate]);
  } catch (fault) {
    log.warn({ err: fault }, `${what} at the end of the service did not succeed`);
  } finally {
    clearTimeout(timer);
  }
}

/** In the reverse order of opening; one failure does not keep the rest open. */
export async function closeAll(opened: Close[]): Promise<void> {
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
