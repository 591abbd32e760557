import { setTimeout as sleep } from "node:timers/promises";
import { isLobbyEvent } from "../engine/engine.ts";
import { pickLobbies } from "../engine/pick-lobbies.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import { describeStop } from "../operations/live/stop-message.ts";
import { adoptServers } from "./servers/adopt-servers.ts";
import { createFailures, type Failures } from "./servers/failures.ts";
import { createLaunch, type Launch } from "./servers/launch.ts";
import { createLobbyEnds, type LobbyEnds } from "./servers/lobby-ends.ts";
import { createOwnServers, type OwnServers } from "./servers/own-servers.ts";
import type { SuperviseParts } from "./servers/parts.ts";
import { reconcileServer } from "./servers/reconcile.ts";
import { createStopServer, type StopServer } from "./servers/stop-server.ts";
import { createHandleExit } from "./servers/unasked-exits.ts";
import { createWaitForPorts, type WaitForPorts } from "./servers/wait-for-ports.ts";

export interface Supervisor {
  /** Ends every lobby that Foyer runs, and resolves when their servers have ended. */
  stopLobbies(): Promise<void>;
  /** Where the engine can lose commands, compares the servers of this node with what the engine knows, and repairs differences. */
  reconcile(): Promise<void>;
  /** Events of a namespace were lost: starts the lobbies that were assigned to this node, and reconciles the others. */
  resync(namespaceId: string): Promise<void>;
  /** Stops watching; the servers keep running. The next process of the service handles one that is slow to stop. */
  stop(): Promise<void>;
}

/** How long recording the ends of lobbies may take when all are stopped. The next start records the rest. */
const recordWithinMs = 3_000;

/**
 * Keeps lobby servers and lobbies in step: starts the server of every new lobby, stops that of every ended one, and
 * ends the lobby of a server that ended by itself. After a restart it first takes over what still runs.
 */
export async function supervise(parts: SuperviseParts): Promise<Supervisor> {
  const { engine, runtime } = parts;
  const own = createOwnServers(parts.ownLobbies);
  const ends = createLobbyEnds(parts, own);
  const failures = createFailures(parts);
  const stopServer = createStopServer(parts, own);
  const launch = createLaunch(parts, own, { ends, failures, stopServer });
  const handleExit = createHandleExit(parts, own, { ends, failures });
  const waitForPorts = createWaitForPorts(parts, own);
  const work: Work = { ends, failures, stopServer, launch, waitForPorts };

  const events = engine.events(isLobbyEvent)[Symbol.asyncIterator]();
  runtime.onExit((lobbyId, exit) => {
    const namespaceId = own.namespaceIds.get(lobbyId);
    if (namespaceId !== undefined) own.recording.add(handleExit(namespaceId, lobbyId, exit));
  });
  await adoptServers(parts, own, work);
  const listening = listen();

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if ("lobby" in next.value && !next.value.lobby.isExternal) handleEvent(parts, own, work, next.value);
    }
  }

  return {
    stopLobbies: () => stopLobbies(parts, own, work),
    async reconcile() {
      for (const [lobbyId, namespaceId] of [...own.namespaceIds]) {
        await reconcileServer(parts, own, stopServer, { namespaceId, lobbyId });
      }
    },
    resync: (namespaceId) => resync(parts, own, work, namespaceId),
    async stop() {
      own.isClosed = true;
      await events.return?.();
      await listening;
      await own.recording.settled();
    },
  };
}

/** What the supervisor can do with a lobby. */
interface Work {
  readonly ends: LobbyEnds;
  readonly failures: Failures;
  readonly stopServer: StopServer;
  readonly launch: Launch;
  readonly waitForPorts: WaitForPorts;
}

type LobbyEvent = Extract<Event, { lobby: LobbyView }>;

function handleEvent(
  { gate, ownLobbies }: SuperviseParts,
  own: OwnServers,
  { launch, stopServer, failures, waitForPorts }: Work,
  { type, namespaceId, lobby }: LobbyEvent,
): void {
  if (type === ownLobbies.startedBy && own.isWaiting(lobby)) own.recording.add(launch(namespaceId, lobby));
  if (own.isTakenOver(type, lobby)) stopServer(lobby.lobbyId);
  waitForPorts(namespaceId, lobby);
  if (type === "lobby.ready") gate.becameReady(lobby.versionId, lobby.gameMode, lobby.lobbyId);
  if (type !== "lobby.stopped") return;
  if (lobby.stopReason === "not_ready") failures.note(lobby, describeStop(lobby) ?? "");
  else if (lobby.stopReason !== "crashed" && lobby.stopReason !== "start_failed") gate.ended(lobby);
  else if (!own.isOwn(lobby)) failures.noteElsewhere(lobby);
  if (own.isOwn(lobby)) stopServer(lobby.lobbyId, lobby.exit === null ? lobby : null);
}

async function stopLobbies({ runtime }: SuperviseParts, own: OwnServers, { ends, stopServer }: Work): Promise<void> {
  own.isStoppingAll = true;
  const ending = [...own.namespaceIds].map(([lobbyId, namespaceId]) =>
    ends.end(namespaceId, lobbyId, "operator", null),
  );
  // Servers stop even if the engine is unavailable, so this does not wait forever.
  const recorded = Promise.all([...ending, own.recording.settled()]);
  await Promise.race([recorded, sleep(recordWithinMs, undefined, { ref: false })]);
  for (const lobbyId of await runtime.list()) stopServer(lobbyId);
  await own.stopping.settled();
}

async function resync(
  parts: SuperviseParts,
  own: OwnServers,
  { launch, stopServer, waitForPorts }: Work,
  namespaceId: string,
): Promise<void> {
  const { engine, now, ownLobbies } = parts;
  const wanted = { status: "starting", ...ownLobbies.picked } as const;
  // A deleted namespace has nothing left to start, however much of it is still to be removed.
  const { revision } = await engine.read({ type: "counts", namespaceId, now: now() });
  for await (const lobby of revision === null ? [] : pickLobbies(engine, namespaceId, now, wanted)) {
    if (own.isClosed) return;
    if (lobby.isExternal) continue;
    if (own.isWaiting(lobby)) own.recording.add(launch(namespaceId, lobby));
    waitForPorts(namespaceId, lobby);
  }
  for (const [lobbyId, of] of [...own.namespaceIds]) {
    if (of === namespaceId) await reconcileServer(parts, own, stopServer, { namespaceId, lobbyId });
  }
}
