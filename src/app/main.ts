import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { createNodeProofs } from "../gateway/node-proof.ts";
import { createCodes } from "../ground/codes.ts";
import { type AdminToken, ensureSecret, openDataFolder, secretFromText } from "../ground/data-folder.ts";
import { createIds, createRequestIds } from "../ground/ids.ts";
import { isLoopback } from "../ground/local-host.ts";
import { type Logger, throttled } from "../ground/log.ts";
import { createMetrics } from "../ground/metrics.ts";
import { removeRunningFile, writeRunningFile } from "../ground/running-file.ts";
import { type Dashboard, readDashboard } from "../http/pages/dashboard.ts";
import type { PlayPage } from "../http/pages/play.ts";
import { openRedirect } from "../http/redirect.ts";
import { createHttpServer, type HttpServer } from "../http/server.ts";
import { type RecordParts, record } from "../loops/history.ts";
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
import { createDescribeLobby } from "../operations/routing/lobby-description.ts";
import { type LobbyDirectory, openLobbyDirectory } from "../operations/routing/lobby-directory.ts";
import { createRoutes } from "../operations/routing/routes.ts";
import { readIdentity } from "../runtime/process-identity.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createContext } from "./create-context.ts";
import { watchDescriptors } from "./descriptors.ts";
import { openEmbedded } from "./embedded.ts";
import { createFolderWatch, type FolderWatch } from "./folder-watch.ts";
import { createGatewayAddress } from "./gateway-address.ts";
import { measureNode } from "./gauges.ts";
import { createLater } from "./later.ts";
import type { Ground, LiveState, Loops, Mode } from "./mode.ts";
import { attempt, createMovedClock, openClock, openMetrics, openStore } from "./open-parts.ts";
import { openLines, openWarnings } from "./operator-lines.ts";
import { startWarnings } from "./start-warnings.ts";
import { createStopOrder, type StopOrder } from "./stop-order.ts";
import { startTasks } from "./tasks.ts";

const ownDashboard = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

/** No namespace has it. */
const nilId = "00000000-0000-0000-0000-000000000000";

export interface RunningFoyer {
  readonly url: string;
  /** The address for programs on the same machine; another one than `url` with TLS. */
  readonly localUrl: string;
  readonly metricsUrl: string | null;
  /** Where the demo game can be played; null: it is not offered. */
  readonly demoUrl: string | null;
  /** The name of this node among those that share its Redis; null: it is the only one. */
  readonly nodeId: string | null;
  readonly dataDir: string;
  readonly adminToken: AdminToken;
  /** A code that signs one person in to the dashboard. */
  createSignInCode(): Promise<string>;
  /**
   * Stops accepting requests, finishes those in flight, saves everything. Lobbies keep running unless `stopLobbies` is
   * set.
   */
  close(options?: { readonly stopLobbies?: boolean }): Promise<void>;
}

/** What the command says, and replacements that tests pass in. */
export interface Injected {
  /** Whether the log is for a person at a terminal, who gets one line for each step of a lobby. */
  readonly showsLines?: boolean;
  readonly runtime?: Runtime;
  /** The built dashboard, in place of this package's own. */
  readonly dashboardDir?: string;
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
  { runtime, showsLines, dashboardDir = ownDashboard, ...injected }: Injected,
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
  const gatewayAddress = createGatewayAddress(config);
  const { context, driver } = await createContext(ground, mode, { db, engine, runtime, gatewayAddress }, stopOrder);
  const metricsServer = await serveMetrics(ground, context, driver, stopOrder);
  const { http, playPage, directory } = await createHttp(
    ground,
    mode,
    context,
    { live, folderWatch, dashboard: readDashboard(dashboardDir) },
    stopOrder,
  );
  mode.readAhead(context);
  const recorder = await record({ engine, db, log, now: context.now, ...recordedHere(context.nodes, mode) });
  context.nodes.onLease(recorder.expectMore);
  stopOrder.add(() => recorder.stop());

  const address = createLater<string>();
  const describe = async (namespaceId: string, lobby: LobbyView) =>
    describeLobby(context, await address.value, namespaceId, lobby);
  // Before the first request, so that no find is sent to a lobby whose server died while the service was down.
  const supervisor = await supervise({
    ...{ engine, runtime: driver, gate: context.gate, log, now: context.now, describe, portsText },
    ownLobbies: mode.ownLobbies(),
    showsLines: showsLines === true,
    counted: context.slots.counted,
    noteExit: recorder.noteExit,
  });
  stopOrder.add(() => supervisor.stop());
  const warnings = openWarnings(ground, mode, context, driver);
  stopOrder.add(() => warnings.stop());
  const lines = showsLines ? await openLines(ground, mode, context) : null;
  stopOrder.add(() => lines?.stop());
  removeRunningFile(ground.folder.path);
  const opened = http.listen();
  address.settle(opened.then(({ localUrl }) => localUrl));
  // Both fail when the port is in use, and a rejection that nothing awaits would end the process.
  const [{ url }, localUrl] = await Promise.all([opened, address.value]);
  gatewayAddress.settle(url);
  stopOrder.add(() => http.close());
  stopOrder.add((await openRedirect(config, config.host)).close);
  await announce(ground, localUrl, stopOrder);
  // Lobbies could not send heartbeats to this node before now, however long the start took.
  await attempt(log, "starting to receive heartbeats", live.startHearing);
  const loops = { recorder, supervisor, warnings, directory };
  const tasks = startLoops(ground, mode, context, { loops, folderWatch }, stopOrder);

  if (!isLoopback(config.host) || config.publicUrl !== null) log.info(adviceForPublicServices);
  return {
    url,
    localUrl,
    metricsUrl: metricsServer?.url ?? null,
    demoUrl: playPage && `${url}/play`,
    nodeId: mode.shownNodeId,
    dataDir: ground.folder.path,
    adminToken: mode.adminToken,
    createSignInCode: async () => (await context.sessions.createCode()).code,
    async close({ stopLobbies = false } = {}) {
      http.beginStopping();
      context.waiting.stop();
      context.builds.unpacked.stop();
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

/** Writes down for tools on the same machine where the service of this data folder is. */
async function announce({ folder: { path }, log }: Ground, url: string, stopOrder: StopOrder): Promise<void> {
  const identity = await readIdentity(process.pid);
  if (identity === null) return;
  writeRunningFile(path, { url, pid: process.pid, identity });
  // Impossible in a folder that became read-only. Its readers compare the identity.
  stopOrder.add(() => attempt(log, "removing running.json", async () => removeRunningFile(path)));
}

async function serveMetrics({ config, metrics, log }: Ground, context: Context, driver: Runtime, stopOrder: StopOrder) {
  const { nodes, waiting } = context;
  measureNode(metrics, { nodes, waiting, driver, watches: context.watching.slots.taken });
  const server = await openMetrics(config, metrics, log);
  stopOrder.add(() => server?.close());
  return server;
}

async function createHttp(
  { config, log, metrics, newId, secret, previousSecret }: Ground,
  mode: Mode,
  context: Context,
  { live, folderWatch, dashboard }: { live: LiveState; folderWatch: FolderWatch; dashboard: Dashboard | null },
  stopOrder: StopOrder,
): Promise<{ http: HttpServer; playPage: PlayPage | null; directory: LobbyDirectory }> {
  const { db, engine, nodes, now, waiting } = context;
  const handlers = createHandlers(context);
  const directory = await openLobbyDirectory({
    engine,
    now,
    learnMs: mode.lobbyLearnMs,
    own: mode.ownLobbies().picked,
    others: () => nodes.all().flatMap(({ nodeId }) => (nodeId === nodes.ownId ? [] : [{ nodeId }])),
    onError: throttled((err: unknown) =>
      log.error({ err }, "the lobbies of other nodes could not be read for the gateway; Foyer tries again"),
    ),
  });
  const playPage = await mode.openPlayPage(handlers);
  const http = createHttpServer({
    config,
    log,
    metrics,
    handlers,
    dashboard,
    playPage,
    lobbies: {
      routes: createRoutes(context, directory),
      describe: createDescribeLobby(context, directory),
      proofs: createNodeProofs({ secret, previousSecret, nodeId: nodes.ownId, now }),
    },
    mocks: mockOperations(context),
    authenticate: mode.authenticateFreshly(context, createAuthenticate(context, mode.adminToken.token)),
    checkClient: (caller, client) => checkClient(context, caller, client),
    now,
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
  return { http, playPage, directory };
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

/**
 * The node that ran a lobby saves it in the history. If that node is dead or unknown, the lease holder does, which has to
 * look at all lobbies for that.
 */
function recordedHere(nodes: Nodes, mode: Mode): Pick<RecordParts, "isOurs" | "picked"> {
  return {
    isOurs({ nodeId }) {
      if (nodeId === nodes.ownId) return true;
      const isUnowned = !nodes.all().some((node) => node.nodeId === nodeId && node.isAlive);
      return nodes.lease() !== null && isUnowned;
    },
    picked: () => (nodes.lease() === null ? mode.ownLobbies().picked : {}),
  };
}
