import type { Engine } from "../engine/engine.ts";
import { type Logger, throttled, throttledByText } from "../ground/log.ts";
import { packageVersion } from "../ground/package-version.ts";
import { createHoldings, createSharedPlaces } from "../ground/shares.ts";
import { createDerivedTokens } from "../ground/tokens.ts";
import { createSessions, type Sessions } from "../operations/auth/sessions.ts";
import { createTokenUses } from "../operations/auth/token-uses.ts";
import { createCodeBudget } from "../operations/capacity/code-budget.ts";
import { createStartGate } from "../operations/capacity/crash-backoff.ts";
import { createCreationBudget } from "../operations/capacity/creation-budget.ts";
import { createSeatBudget } from "../operations/capacity/seat-budget.ts";
import { toAuditReply } from "../operations/cloud/audit.ts";
import { startRequestId } from "../operations/cloud/demo-game.ts";
import type { Context } from "../operations/context.ts";
import { createActivity } from "../operations/insight/activity.ts";
import { answerForInsight, answerForNodes } from "../operations/insight/answer-nodes.ts";
import { createDecisions } from "../operations/insight/decisions.ts";
import { followLobbies } from "../operations/insight/follow-lobbies.ts";
import { createLiveEvents } from "../operations/live/live-events.ts";
import { answerForLobbyServers, localLobbyServers, sharedLobbyServers } from "../operations/live/remote-runtime.ts";
import { createShowLobby } from "../operations/live/show-lobby.ts";
import { createWaiting } from "../operations/matchmaking/lobby-waiters.ts";
import { createShowPorts } from "../operations/matchmaking/ports.ts";
import { createNamespaceConfigs } from "../operations/namespace-configs.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { AuditEntry, Db } from "../store/db.ts";
import type { GatewayAddress } from "./gateway-address.ts";
import { createLobbyRoom } from "./lobby-room.ts";
import type { Ground, Mode } from "./mode.ts";
import { openBuilds } from "./open-builds.ts";
import { attempt, openRuntime, openWatching } from "./open-parts.ts";
import type { StopOrder } from "./stop-order.ts";

/** A waiting request costs memory and a connection, but no work. */
const waitersPerInFlight = 10;

export interface OpenedContext {
  readonly context: Context;
  /** Also set when it may start nothing: Foyer still watches and stops lobbies of an earlier run. */
  readonly driver: Runtime;
}

/** Creates the context of the operations and the driver of lobby processes, and joins the other nodes. */
export async function createContext(
  ground: Ground,
  mode: Mode,
  {
    db,
    engine,
    runtime: injected,
    gatewayAddress,
  }: { db: Db; engine: Engine; runtime: Runtime | undefined; gatewayAddress: GatewayAddress },
  stopOrder: StopOrder,
): Promise<OpenedContext> {
  const { config, log, clock, newId, newCodes } = ground;
  const { now } = clock;
  const tokenUses = createTokenUses(db);
  stopOrder.add(() => attempt(log, "saving when tokens were used", () => tokenUses.flush()));
  const waitersMax = config.maxInFlight * waitersPerInFlight;
  const configs = createNamespaceConfigs(db, engine, now);
  const watching = openWatching(config, { db, configs, engine, now }, log);
  stopOrder.add(() => watching.boards.close());
  const showPorts = createShowPorts(gatewayAddress.origin);
  const showLobby = createShowLobby(showPorts, configs, now);
  const parts = {
    configs,
    showPorts,
    showLobby,
    watching,
    waiting: createWaiting(engine, { waitMs: config.findWaitS * 1000, waitersMax, now }),
    creationBudget: createCreationBudget(config.lobbyCreationBudget),
    seatBudget: createSeatBudget(config.rateSeats, () => performance.now()),
    liveEvents: createLiveEvents(engine, now, createSharedPlaces(config.maxEventStreams), showLobby),
    gate: createStartGate(),
  };

  const builds = await openBuilds(ground, db);
  stopOrder.add(() => builds.unpacked.stop());
  const holdings = createHoldings();
  const driver = injected ?? (await openRuntime(ground, holdings, db));
  stopOrder.add(() => driver.close());
  const startsProcesses = injected !== undefined || config.runtimes.some((kind) => kind !== "external");
  const runtime = startsProcesses ? driver : null;
  const room = createLobbyRoom(runtime, holdings, now);
  const about = { version: packageVersion(), startedAt: now(), regions: config.nodeRegions, nodeUrl: config.nodeUrl };
  const nodes = await mode.join(() => ({ ...about, ...room.status(), builds: builds.prepared.current }));
  stopOrder.add(({ haveLobbiesEnded }) => attempt(log, "leaving the other nodes", () => nodes.leave(haveLobbiesEnded)));
  const activity = createActivity(now);
  const decisions = createDecisions(now, newId);
  const ownServers = localLobbyServers(driver);
  const answer = answerForNodes(answerForInsight({ activity, decisions }), answerForLobbyServers(ownServers));
  const calls = await mode.openCalls(nodes, answer);
  void followLobbies({ engine, nodes, activity });
  const context: Context = {
    db,
    config,
    tokens: createDerivedTokens(ground.secret, ground.previousSecret),
    tokenUses,
    sessions: openSessions(ground, mode, db),
    engine,
    ...parts,
    builds,
    runtime,
    lobbyServers: sharedLobbyServers(ownServers, calls),
    nodes,
    askNodes: calls.askAll,
    activity,
    decisions,
    slots: mode.openSlots(room, nodes),
    codeBudget: createCodeBudget({
      perClient: config.rateWrongCodes,
      perNamespace: config.rateWrongCodesNamespace,
      nodes: () => nodes.all().filter(({ isAlive }) => isAlive).length || 1,
      monotonic: () => performance.now(),
    }),
    warnOperator: throttledByText((message, times) => log.warn({ times }, `no lobby was created: ${message}`)),
    removals: new Map(),
    logChange: (entry) => logChange(log, entry),
    ...{ now, newId, newCodes },
  };
  return { context, driver };
}

function openSessions({ clock: { now }, newId, secret, log }: Ground, { adminToken }: Mode, db: Db): Sessions {
  const onError = throttled((err: unknown) => log.warn({ err }, "the use of a session could not be saved"));
  const monotonic = () => performance.now();
  return createSessions({ db, adminToken: adminToken.token, secret, now, newId, monotonic, onError });
}

/** One line for each change. Those of the demo's set-up are at level debug: the output of a first start stays short. */
function logChange(log: Logger, entry: AuditEntry): void {
  const level = entry.requestId === startRequestId ? "debug" : "info";
  log[level]({ audit: toAuditReply(entry) }, `changed by ${entry.operation}`);
}
