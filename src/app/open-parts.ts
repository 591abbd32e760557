import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { type Clock, createClock } from "../ground/clock.ts";
import { type Logger, nowAndThen } from "../ground/log.ts";
import { type Metrics, startMetricsServer } from "../ground/metrics.ts";
import type { Holdings } from "../ground/shares.ts";
import { listForWatchers } from "../operations/matchmaking/lobby-list.ts";
import { createBoards } from "../operations/watch/boards.ts";
import { createWatchSlots } from "../operations/watch/slots.ts";
import { createProcessRuntime } from "../runtime/process.ts";
import { parsePortRange } from "../runtime/process-ports.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Db } from "../store/db.ts";
import { holdDatabase } from "../store/only-node.ts";
import { openDb } from "../store/open-db.ts";
import type { FolderWatch } from "./folder-watch.ts";
import type { Ground, Mode } from "./mode.ts";
import type { StopOrder } from "./stop-order.ts";

/** How the parts of the service are opened, one function each. */

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
export function createMovedClock(now: () => number): Clock {
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
  { config, folder, log }: Ground,
  { invalidation, hold: kind }: Mode["store"],
  folderWatch: FolderWatch,
  stopOrder: StopOrder,
): Promise<Db> {
  const { databaseUrl } = config;
  const whyReadOnly = databaseUrl === null ? folderWatch.trouble : () => null;
  let mayKeep = () => true;
  if (databaseUrl !== null) {
    const onLost = (fault: Error) => {
      log.fatal({ err: fault }, "the database was taken over while the connection to it was broken; the service ends");
      process.kill(process.pid, "SIGTERM");
    };
    const hold = await holdDatabase(databaseUrl, onLost, kind);
    stopOrder.add(() => attempt(log, "letting go of the database", () => hold.release()));
    mayKeep = hold.isOurs;
  }
  const db = await openDb({ databaseUrl, dataDir: folder.path, mayKeep, whyReadOnly, invalidation });
  stopOrder.add(() => attempt(log, "closing the database", () => db.close()));
  return db;
}

/** The driver of lobby processes. It starts none when the operator does not want any on this machine. */
export async function openRuntime({ config, folder, clock }: Ground, holdings: Holdings): Promise<Runtime> {
  const startsProcesses = config.runtimes.includes("process");
  const publicHost = config.publicUrl === null ? "127.0.0.1" : new URL(config.publicUrl).hostname;
  return createProcessRuntime({
    dataDir: folder.path,
    lobbyRoot: resolve(config.lobbyRoot),
    hostname: config.lobbyHostname ?? publicHost,
    ports: parsePortRange(config.lobbyPorts),
    processesMax: startsProcesses ? config.maxLobbyProcesses : 0,
    stopGraceMs: config.lobbyStopGraceS * 1000,
    logMaxBytes: config.lobbyLogKib * 1024,
    user: startsProcesses ? config.lobbyUser : null,
    now: clock.now,
    holdings,
  });
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
