import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { type Clock, createClock } from "../ground/clock.ts";
import { ensureNodeId } from "../ground/data-folder.ts";
import { isUnspecified } from "../ground/local-host.ts";
import { type Logger, throttled } from "../ground/log.ts";
import { type Metrics, startMetricsServer } from "../ground/metrics.ts";
import type { Holdings } from "../ground/shares.ts";
import { isImageAllowed } from "../operations/cloud/docker-runtime.ts";
import { listForWatchers } from "../operations/matchmaking/lobby-list.ts";
import { createBoards } from "../operations/watch/boards.ts";
import { createWatchSlots } from "../operations/watch/slots.ts";
import type { DockerOptions } from "../runtime/docker/docker-parts.ts";
import { openDrivers } from "../runtime/drivers.ts";
import { parsePortRange } from "../runtime/process-ports.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Db } from "../store/db.ts";
import { holdDatabase } from "../store/only-node.ts";
import { openDb } from "../store/open-db.ts";
import { findVersionImage, recordVersionImage } from "../store/version-images.ts";
import type { FolderWatch } from "./folder-watch.ts";
import type { Ground, Mode } from "./mode.ts";
import type { StopOrder } from "./stop-order.ts";

/** Opens the parts of the service, one function for each. */

/** The core's time. A single node follows its machine's wall clock, several nodes follow the clock of Redis. */
export function openClock(log: Logger): Clock {
  return createClock({
    wall: () => Date.now(),
    steady: () => performance.now(),
    onApart: (aheadMs) =>
      log.warn(
        { apart_s: Math.round(aheadMs / 100) / 10 },
        "the clock was set: Foyer's time follows it by at most 1 s in 10, so no deadline jumps; check the machine's time synchronisation",
      ),
    onTogether: () => log.info("Foyer's time agrees with the clock again"),
  });
}

/** A clock that the caller controls. */
export function createMovedClock(now: () => number): Clock {
  return { now, follow() {}, startAt() {} };
}

/** For what the file system dates. Everything else goes by the core's time. */
export const wallClock = () => Date.now();

export function followWallClock(clock: Clock): void {
  clock.follow(Date.now() - clock.now());
}

/**
 * Null when metrics are off. If only the default port is in use, another port is taken, so that a second service on one
 * machine starts.
 */
export async function openMetrics({ metricsHost: host, metricsPort: port }: Config, metrics: Metrics, log: Logger) {
  if (port === null) return null;
  try {
    return await startMetricsServer(metrics, { host, port });
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (!isTaken || port !== settings.metrics_port.fallback) throw error;
    log.warn({ port }, "the default port for metrics is in use; using any free port");
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
    onError: throttled((err: unknown) =>
      log.warn({ err }, "a watched list of lobbies could not be read; Foyer tries again"),
    ),
  });
  return { boards, slots: createWatchSlots(limits) };
}

/**
 * The control plane's store. On PostgreSQL the service locks it, for this node alone or for the nodes that share it
 * (docs/decisions/0010).
 */
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
    const onLost = (error: Error) => {
      log.fatal(
        { err: error },
        "another service took over the database while the connection was lost; stopping this service",
      );
      process.kill(process.pid, "SIGTERM");
    };
    const hold = await holdDatabase(databaseUrl, onLost, kind);
    stopOrder.add(() => attempt(log, "unlocking the database", () => hold.release()));
    mayKeep = hold.isOurs;
  }
  const db = await openDb({ databaseUrl, dataDir: folder.path, mayKeep, whyReadOnly, invalidation });
  stopOrder.add(() => attempt(log, "closing the database", () => db.close()));
  return db;
}

/** The drivers of lobby servers. They start none when the settings exclude them. */
export async function openRuntime(ground: Ground, holdings: Holdings, db: Db): Promise<Runtime> {
  const { config, folder, clock } = ground;
  const startsProcesses = config.runtimes.includes("process");
  const startsServers = startsProcesses || config.runtimes.includes("docker");
  return openDrivers({
    dataDir: folder.path,
    hostname: chooseLobbyHostname(config),
    ports: parsePortRange(config.lobbyPorts),
    bind: config.lobbyBind,
    processesMax: startsServers ? config.maxLobbyProcesses : 0,
    stopGraceMs: config.lobbyStopGraceS * 1000,
    logMaxBytes: config.lobbyLogKib * 1024,
    now: clock.now,
    holdings,
    process: {
      isEnabled: startsProcesses,
      lobbyRoot: resolve(config.lobbyRoot),
      user: startsProcesses ? config.lobbyUser : null,
    },
    docker: describeDocker(ground, db),
  });
}

/** The host in the addresses of lobbies that players get. */
export function chooseLobbyHostname({ lobbyHostname, publicUrl, lobbyBind }: Config): string {
  if (lobbyHostname !== null) return lobbyHostname;
  if (publicUrl !== null) return new URL(publicUrl).hostname;
  return isUnspecified(lobbyBind) ? "127.0.0.1" : lobbyBind;
}

function describeDocker({ config, folder, clock, log, newId }: Ground, db: Db): DockerOptions {
  return {
    isEnabled: config.runtimes.includes("docker"),
    socket: config.dockerSocket,
    nodeId: ensureNodeId(folder, config.nodeId),
    images: {
      find: (versionId, image) => findVersionImage(db, versionId, image),
      async record(versionId, image, found) {
        const row = { versionImageId: newId(), versionId, image, createTs: clock.now(), ...found };
        return (await recordVersionImage(db, row)) ?? found;
      },
    },
    findImageIssue: (image) =>
      isImageAllowed(image, config.dockerImages)
        ? null
        : `is not allowed by this service: FOYER_DOCKER_IMAGES is ${config.dockerImages?.join(",")}`,
    maxima: { memoryMib: config.dockerMemoryMibMax, cpus: config.dockerCpusMax, pids: config.dockerPidsMax },
    log,
    waitMs: config.dockerWaitS * 1000,
    pullWithinMs: config.dockerPullS * 1000,
    syncEveryMs: 5_000,
    backoff: { firstMs: 200, maxMs: 5_000 },
  };
}

const attemptMs = 2_000;

/** Runs a task of the shutdown that may fail: an unavailable store must not delay the end of the service. */
export async function attempt(log: Logger, what: string, task: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished within ${attemptMs} ms`)), attemptMs);
  });
  try {
    await Promise.race([task(), tooLate]);
  } catch (error) {
    log.warn({ err: error }, `${what} failed during shutdown`);
  } finally {
    clearTimeout(timer);
  }
}
