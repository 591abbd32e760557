import type { Config } from "../config/config.ts";
import { createCodes } from "../ground/codes.ts";
import { type AdminToken, ensureSecret, openDataFolder, secretFromText } from "../ground/data-folder.ts";
import { createIds, createRequestIds } from "../ground/ids.ts";
import { isLoopback } from "../ground/local-host.ts";
import type { Logger } from "../ground/log.ts";
import { createMetrics } from "../ground/metrics.ts";
import type { PlayPage } from "../http/pages/play.ts";
import { createHttpServer, type HttpServer } from "../http/server.ts";
import { record } from "../loops/history.ts";
import { supervise } from "../loops/supervise.ts";
import type { LobbyView } from "../matchmaker/commands.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { createAuthenticate } from "../operations/auth/authenticate.ts";
import { checkClient } from "../operations/cloud/blocks.ts";
import type { Context } from "../operations/context.ts";
import { createHandlers } from "../operations/index.ts";
import { checkLobby } from "../operations/matchmaking/lobby.ts";
import { describeLobby, portsText } from "../operations/matchmaking/lobby-start.ts";
import { mockOperations } from "../operations/matchmaking/mocks.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createContext } from "./create-context.ts";
import { watchDescriptors } from "./descriptors.ts";
import { openEmbedded } from "./embedded.ts";
import { createFolderWatch, type FolderWatch } from "./folder-watch.ts";
import { measureNode } from "./gauges.ts";
import { createLater } from "./later.ts";
import type { Ground, LiveState, Loops, Mode } from "./mode.ts";
import { attempt, createMovedClock, openClock, openMetrics, openStore } from "./open-parts.ts";
import { startWarnings } from "./start-warnings.ts";
import { createStopOrder, type StopOrder } from "./stop-order.ts";
import { startTasks } from "./tasks.ts";

/** No namespace has it. */
const nilId = "00000000-0000-0000-0000-000000000000";

export interface RunningFoyer {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Where the demo game can be played; null: it is not offered. */
  readonly demoUrl: string | null;
  /** The name of this node among those that share its Redis; null: it is the only one. */
  readonly nodeId: string | null;
  readonly dataDir: string;
  readonly adminToken: AdminToken;
  /**
   * Stops accepting requests, finishes those in flight, saves everything. Lobbies keep running unless `stopLobbies` is
   * set.
   */
  close(options?: { readonly stopLobbies?: boolean }): Promise<void>;
}

/** Replacements that tests pass in. */
export interface Injected {
  readonly runtime?: Runtime;
  readonly now?: () => number;
  readonly newCodes?: (length: number) => readonly string[];
}

/**
 * The composition root: opens the stores, connects the parts and listens. If a step fails, it closes what it opened.
 */
export async function startFoyer(config: Config, log: Logger, injected: Injected = {}): Promise<RunningFoyer> {
  const stopOrder = createStopOrder();
  try {
    return await start(config, log, injected, stopOrder);
  } catch (error) {
    await stopOrder.closeAll({ haveLobbiesEnded: false });
    throw error;
  }
}

/** The order of the start. The stop order is the reverse. */
async function start(
  config: Config,
  log: Logger,
  { runtime, ...injected }: Injected,
  stopOrder: StopOrder,
): Promise<RunningFoyer> {
  const ground = await openGround(config, log, injected, stopOrder);
  const mode = await openMode(ground);
  stopOrder.add(() => mode.close());
  const folderWatch = createFolderWatch(ground, mode.folder);
  const db = await openStore(ground, mode.store, folderWatch, stopOrder);
  const live = await mode.openEngine();
  const { engine } = live;
  stopOrder.add(() => engine.close());
  folderWatch.begin(live.giveUp);
  const { context, driver } = await createContext(ground, mode, { db, engine, runtime }, stopOrder);
  const metricsServer = await serveMetrics(ground, context, driver, stopOrder);
  const { http, playPage } = await createHttp(ground, mode, context, { live, folderWatch }, stopOrder);
  mode.readAhead(context);
  const isOurs = (lobby: LobbyView) => isRecordedHere(context.nodes, lobby);
  const recorder = await record({ engine, db, log, now: context.now, isOurs });
  context.nodes.onLease(recorder.expectMore);
  stopOrder.add(() => recorder.stop());

  const address = createLater<string>();
  const describe = async (namespaceId: string, lobby: LobbyView) =>
    describeLobby(context, await address.value, namespaceId, lobby);
  // Before the first request, so that no find is sent to a lobby whose server died while the service was down.
  const supervisor = await supervise({
    ...{ engine, runtime: driver, gate: context.gate, log, now: context.now, describe, portsText },
    ownLobbies: mode.ownLobbies(),
    counted: context.slots.counted,
    noteExit: recorder.noteExit,
  });
  stopOrder.add(() => supervisor.stop());
  address.settle(listen(http, config));
  const url = await address.value;
  stopOrder.add(() => http.close());
  // Lobbies could not send heartbeats to this node before now, however long the start took.
  await attempt(log, "starting to receive heartbeats", live.startHearing);
  const tasks = startLoops(ground, mode, context, { loops: { recorder, supervisor }, folderWatch }, stopOrder);

  if (!isLoopback(config.host) || config.publicUrl !== null) log.info(adviceForPublicServices);
  return {
    url,
    metricsUrl: metricsServer?.url ?? null,
    demoUrl: playPage && `${url}/play`,
    nodeId: mode.shownNodeId,
    dataDir: ground.folder.path,
    adminToken: mode.adminToken,
    async close({ stopLobbies = false } = {}) {
      http.beginStopping();
      context.waiting.stop();
      await tasks.stop();
      if (stopLobbies) await supervisor.stopLobbies();
      await stopOrder.closeAll({ haveLobbiesEnded: stopLobbies });
    },
  };
}

const adviceForPublicServices =
  "this service is public: set max_players_per_client of its namespaces, 64 is a good start; see docs/limits-and-abuse.md";

/** The clock, ids, the data folder and its secrets. */
async function openGround(
  config: Config,
  log: Logger,
  injected: Pick<Injected, "now" | "newCodes">,
  stopOrder: StopOrder,
): Promise<Ground> {
  const clock = injected.now === undefined ? openClock(log) : createMovedClock(injected.now);
  const folder = await openDataFolder(config.dataDir);
  stopOrder.add(() => folder.release());
  for (const warning of startWarnings(config, folder.path)) log.warn(warning);
  const secret = ensureSecret(folder, config.secret);
  const previousSecret = config.previousSecret === null ? null : secretFromText(config.previousSecret);
  const random = { newId: createIds(clock.now), newCodes: injected.newCodes ?? createCodes() };
  return { config, log, metrics: createMetrics(), clock, folder, secret, previousSecret, ...random };
}

/** The only code that asks whether there are other nodes. The code for Redis is loaded only if it is needed. */
async function openMode(ground: Ground): Promise<Mode> {
  const { redisUrl } = ground.config;
  if (redisUrl === null) return openEmbedded(ground);
  const { openCluster } = await import("./cluster.ts");
  return openCluster(ground, redisUrl);
}

async function serveMetrics({ config, metrics, log }: Ground, context: Context, driver: Runtime, stopOrder: StopOrder) {
  const { nodes, waiting } = context;
  measureNode(metrics, { nodes, waiting, driver, watches: context.watching.slots.taken });
  const server = await openMetrics(config, metrics, log);
  stopOrder.add(() => server?.close());
  return server;
}

async function createHttp(
  { config, log, metrics, newId }: Ground,
  mode: Mode,
  context: Context,
  { live, folderWatch }: { live: LiveState; folderWatch: FolderWatch },
  stopOrder: StopOrder,
): Promise<{ http: HttpServer; playPage: PlayPage | null }> {
  const { db, engine, nodes, now, waiting } = context;
  const handlers = createHandlers(context);
  const playPage = await mode.openPlayPage(handlers);
  const http = createHttpServer({
    config,
    log,
    metrics,
    handlers,
    playPage,
    mocks: mockOperations(context),
    authenticate: mode.authenticateFreshly(context, createAuthenticate(context, mode.adminToken.token)),
    checkClient: (caller, client) => checkClient(context, caller, client),
    newRequestId: createRequestIds(newId().slice(-12)),
    isStoreBehind: live.isBehind,
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
  stopOrder.add(() => descriptors.stop());
  return { http, playPage };
}

/** Returns the address of the service. Requests arrive as soon as the port is open, a little before this returns. */
async function listen({ app }: HttpServer, { host, port, publicUrl }: Config): Promise<string> {
  const address = await app.listen({ host, port });
  return publicUrl ?? address;
}

function startLoops(
  { log }: Ground,
  mode: Mode,
  context: Context,
  { loops, folderWatch }: { loops: Loops; folderWatch: FolderWatch },
  stopOrder: StopOrder,
) {
  const own = mode.startLoops(context, loops);
  stopOrder.add(() => own.stop());
  const tasks = startTasks(context, { ...loops, log, folderWatch, own });
  stopOrder.add(() => tasks.stop());
  return tasks;
}

/** The node that ran a lobby saves it in the history. If that node is dead or unknown, the lease holder does. */
function isRecordedHere(nodes: Nodes, { nodeId }: LobbyView): boolean {
  if (nodeId === nodes.ownId) return true;
  const isUnowned = !nodes.all().some((node) => node.nodeId === nodeId && node.isAlive);
  return nodes.lease() !== null && isUnowned;
}
