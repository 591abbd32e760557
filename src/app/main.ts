import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../ground/clock.ts";
import {
  ensureAdminToken,
  ensureNodeId,
  ensureSecret,
  openDataFolder,
  secretFromText,
  sharedAdminToken,
} from "../ground/data-folder.ts";
import { createIds, createRequestIds } from "../ground/ids.ts";
import { isLoopback } from "../ground/local-host.ts";
import { eachNowAndThen, type Logger } from "../ground/log.ts";
import { createMetrics, type Metrics } from "../ground/metrics.ts";
import { packageVersion } from "../ground/package-version.ts";
import { createHoldings, createSharedPlaces } from "../ground/shares.ts";
import { createDerivedTokens } from "../ground/tokens.ts";
import { createHttpServer } from "../http/server.ts";
import { placeLobbies } from "../loops/assign-node.ts";
import { record } from "../loops/history.ts";
import { everyLobby, lobbiesPlacedOn } from "../loops/servers/own-lobbies.ts";
import { supervise } from "../loops/supervise.ts";
import type { LobbyView } from "../matchmaker/commands.ts";
import { type Nodes, onlyNode } from "../nodes/nodes.ts";
import { createAuthenticate } from "../operations/auth/authenticate.ts";
import { authenticateFreshly } from "../operations/auth/fresh-authenticate.ts";
import { readAhead } from "../operations/auth/read-ahead.ts";
import { createTokenUses } from "../operations/auth/token-uses.ts";
import { createStartGate } from "../operations/capacity/crash-backoff.ts";
import { createCreationBudget } from "../operations/capacity/creation-budget.ts";
import { createSeatBudget } from "../operations/capacity/seat-budget.ts";
import { toAuditReply } from "../operations/cloud/audit.ts";
import { checkClient } from "../operations/cloud/blocks.ts";
import type { Context } from "../operations/context.ts";
import { createHandlers } from "../operations/index.ts";
import { createLiveEvents } from "../operations/live/live-events.ts";
import { answerForLobbyServers, localLobbyServers, sharedLobbyServers } from "../operations/live/remote-runtime.ts";
import { checkLobby } from "../operations/matchmaking/lobby.ts";
import { describeLobby, portsText } from "../operations/matchmaking/lobby-start.ts";
import { createWaiting } from "../operations/matchmaking/lobby-waiters.ts";
import { mockOperations } from "../operations/matchmaking/mocks.ts";
import { createNamespaceConfigs } from "../operations/namespace-configs.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { noOtherWriters } from "../store/db.ts";
import { holdAlone, holdWithNodes } from "../store/only-node.ts";
import type { Secrets, Shared } from "./cluster.ts";
import { openDemo } from "./demo.ts";
import { watchDescriptors } from "./descriptors.ts";
import { measureNode } from "./gauges.ts";
import { createLobbyRoom } from "./lobby-room.ts";
import {
  attempt,
  type Close,
  clockOf,
  closeAll,
  followWallClock,
  openClock,
  openEmbeddedEngine,
  openMetrics,
  openRuntime,
  openStore,
  openWatching,
  watchDataFolder,
} from "./open-parts.ts";
import { startWarnings } from "./start-warnings.ts";
import { startTasks } from "./tasks.ts";

/** A waiting request costs memory and a connection, but no work. */
const waitersPerInFlight = 10;
/** No namespace has it. */
const nilId = "00000000-0000-0000-0000-000000000000";

export interface RunningFoyer {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Where the example game can be played; null: it is not offered. */
  readonly demoUrl: string | null;
  /** What this node is called among those that share its Redis; null: it is the only one. */
  readonly nodeId: string | null;
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
  const clock = injected.now === undefined ? openClock(log) : clockOf(injected.now);
  const { now } = clock;
  const newId = createIds(now);
  const folder = await openDataFolder(config.dataDir);
  opened.push(() => folder.release());
  for (const warning of startWarnings(config, folder.path)) log.warn(warning);
  const secret = ensureSecret(folder, config.secret);
  const previousSecret = config.previousSecret === null ? null : secretFromText(config.previousSecret);
  const metrics = createMetrics();
  const shared = await openSharedParts(config, log, metrics, clock, newId, { secret, previousSecret });
  opened.push(() => shared?.close());
  const adminToken = shared
    ? sharedAdminToken(folder, config.adminToken, secret)
    : ensureAdminToken(folder, config.adminToken);
  const tokens = createDerivedTokens(secret, previousSecret);
  let whyReadOnly: () => string | null = () => null;
  const sharing = shared
    ? { invalidation: shared.invalidation, hold: holdWithNodes }
    : { invalidation: noOtherWriters, hold: holdAlone };
  const db = await openStore(config, folder.path, log, opened, sharing, () => whyReadOnly());
  const { engine, isBehind, giveUp, startHearing } = await openLiveState(shared, folder.path, clock, log);
  opened.push(() => engine.close());
  const folderWatch = watchDataFolder(config, folder.path, log, giveUp);
  if (config.databaseUrl === null) whyReadOnly = folderWatch.trouble;

  const tokenUses = createTokenUses(db);
  opened.push(() => attempt(log, "writing down when tokens were used", () => tokenUses.flush()));
  const configs = createNamespaceConfigs(db, engine, now);
  const waiting = createWaiting(engine, {
    waitMs: config.findWaitS * 1000,
    waitersMax: config.maxInFlight * waitersPerInFlight,
    now,
  });
  const creationBudget = createCreationBudget(config.lobbyCreationBudget);
  const seatBudget = createSeatBudget(config.rateSeats, () => performance.now());
  const liveEvents = createLiveEvents(engine, now, createSharedPlaces(config.maxEventStreams));
  const watching = openWatching(config, { db, configs, engine, now }, log);
  opened.push(() => watching.boards.close());
  const holdings = createHoldings();
  const startsProcesses = injected.runtime !== undefined || config.runtimes.includes("process");
  // Also open when it may start nothing: lobbies of an earlier run are still to be watched and stopped.
  const driver = injected.runtime ?? (await openRuntime(config, folder.path, now, holdings));
  opened.push(() => driver.close());
  const runtime = startsProcesses ? driver : null;
  const gate = createStartGate();
  const room = createLobbyRoom(runtime, holdings, now);
  const about = { version: packageVersion(), startedAt: now(), regions: config.nodeRegions };
  const ownStatus = () => ({ ...about, ...room.status() });
  const nodeId = ensureNodeId(folder, config.nodeId);
  const nodes = shared ? await shared.join(nodeId, ownStatus) : onlyNode(nodeId, ownStatus);
  const slots = room.openSlots(nodes);
  let areLobbiesGone = false;
  opened.push(() => attempt(log, "telling the other nodes", () => nodes.leave(areLobbiesGone)));
  const ownServers = localLobbyServers(driver);
  const calls = await shared?.openCalls(nodes, answerForLobbyServers(ownServers));
  const context: Context = {
    db,
    config,
    tokens,
    tokenUses,
    engine,
    configs,
    waiting,
    creationBudget,
    seatBudget,
    liveEvents,
    watching,
    runtime,
    lobbyServers: calls ? sharedLobbyServers(ownServers, calls) : ownServers,
    nodes,
    gate,
    slots,
    tellOperator: eachNowAndThen((message, times) => log.warn({ times }, `no lobby was made: ${message}`)),
    logChange: (entry) => log.info({ audit: toAuditReply(entry) }, `changed by ${entry.operation}`),
    now,
    newId,
  };

  measureNode(metrics, { nodes, waiting, driver, watches: watching.slots.taken });
  const metricsServer = await openMetrics(config, metrics, log);
  opened.push(() => metricsServer?.close());

  const authenticate = createAuthenticate(context, adminToken.token);
  const handlers = createHandlers(context);
  // The example is for a first look at the service, which nobody takes with several nodes.
  const playPage = shared ? null : await openDemo(config, handlers, folder.path, log);
  const http = createHttpServer({
    config,
    log,
    metrics,
    handlers,
    playPage,
    mocks: mockOperations(context),
    authenticate: shared ? authenticateFreshly(db, authenticate) : authenticate,
    checkClient: (caller, client) => checkClient(context, caller, client),
    newRequestId: createRequestIds(newId().slice(-12)),
    isStoreBehind: isBehind,
    waitingCount: waiting.count,
    checkLobby: (caller) => checkLobby(context, caller),
    async checkReady() {
      const trouble = nodes.trouble() ?? folderWatch.trouble();
      if (trouble !== null) throw new Error(trouble);
      await db.checkWritable();
      await engine.checkWritable();
      await engine.read({ type: "counts", namespaceId: nilId, now: now() });
    },
  });
  const descriptors = watchDescriptors({ config, log, server: http.app.server });
  opened.push(() => descriptors.stop());
  if (shared) readAhead(context, log);
  const recorder = await record({ engine, db, log, now, isOurs: (lobby) => isRecordedHere(nodes, lobby) });
  nodes.onLease(recorder.expectMore);
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
    ownLobbies: nodes.ownId === null ? everyLobby("") : lobbiesPlacedOn(nodes.ownId),
    now,
    describe: async (namespaceId, lobby) => describeLobby(context, await urlKnown, namespaceId, lobby),
    portsText,
    counted: slots.counted,
    noteExit: (lobbyId, exit) => recorder.noteExit(lobbyId, exit),
  });
  opened.push(() => supervisor.stop());
  beginListening();
  const url = await urlKnown;
  opened.push(() => http.close());
  // Lobbies could not send heartbeats to this node before now, however long the start took.
  await attempt(log, "starting to hear heartbeats", startHearing);

  const placing = shared && placeLobbies({ engine, nodes, log, now });
  opened.push(() => placing?.stop());
  const followClock = shared ? null : () => followWallClock(clock);
  const invalidation = shared?.invalidation ?? null;
  const tasks = startTasks(context, { log, recorder, supervisor, placing, invalidation, followClock, folderWatch });
  opened.push(() => tasks.stop());

  if (!isLoopback(config.host) || config.publicUrl !== null) log.info(adviceForPublicServices);
  return {
    url,
    metricsUrl: metricsServer?.url ?? null,
    demoUrl: playPage && `${url}/play`,
    nodeId: nodes.ownId,
    dataDir: folder.path,
    adminToken,
    async close({ stopLobbies = false } = {}) {
      http.beginStopping();
      waiting.stop();
      await tasks.stop();
      if (stopLobbies) await supervisor.stopLobbies();
      areLobbiesGone = stopLobbies;
      await closeAll(opened);
    },
  };
}

const adviceForPublicServices =
  "this service is public: set max_players_per_client of its namespaces, 64 is a good start; see docs/limits-and-abuse.md";

/** Null: this node is alone. What speaks to Redis is loaded only where it is needed, which makes every other start quicker. */
async function openSharedParts(
  config: Config,
  log: Logger,
  metrics: Metrics,
  clock: Clock,
  newId: () => string,
  secrets: Secrets,
) {
  if (config.redisUrl === null) return null;
  const { openShared } = await import("./cluster.ts");
  return openShared(config.redisUrl, config, { log, metrics, clock, newId, secrets });
}

/** Nobody heard heartbeats before: this was the only node. */
async function restartClocks(engine: Engine, now: () => number): Promise<void> {
  for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
    await engine.execute({ type: "restarted", namespaceId, now: now() });
  }
}

/** Live lobbies in this process, or in a Redis that several share. */
async function openLiveState(shared: Shared | null, dataDir: string, clock: Clock, log: Logger) {
  if (shared) {
    const engine = await shared.openEngine();
    return { engine, isBehind: () => false, giveUp() {}, startHearing: () => engine.startHearing() };
  }
  const { engine, journal } = await openEmbeddedEngine(dataDir, clock, log);
  const startHearing = () => restartClocks(engine, clock.now);
  return { engine, isBehind: journal.isBehind, giveUp: journal.giveUp, startHearing };
}

/** The node that ran a lobby writes it down; for those that no living node ran, the holder of the lease does. */
function isRecordedHere(nodes: Nodes, { nodeId }: LobbyView): boolean {
  if (nodeId === nodes.ownId) return true;
  const isNobodyElses = !nodes.all().some((node) => node.nodeId === nodeId && node.isAlive);
  return nodes.lease() !== null && isNobodyElses;
}
