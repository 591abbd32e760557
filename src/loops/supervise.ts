import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import { redact } from "../ground/redact.ts";
import { EngineUnavailable, StoreUnavailable } from "../ground/unavailable.ts";
import type { Event, LobbyView, StopReason } from "../matchmaker/commands.ts";
import type { StartGate } from "../operations/capacity/crash-backoff.ts";
import { exitWords } from "../runtime/how-it-ended.ts";
import {
  type LobbyExit,
  LobbyNotStarted,
  type LobbyPorts,
  type LobbyToStart,
  type Runtime,
} from "../runtime/runtime.ts";
import { pickLobbies } from "./pick-lobbies.ts";

export interface SuperviseParts {
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly gate: StartGate;
  readonly log: Logger;
  /** This node, where several run lobbies; null: it runs them all. */
  readonly ownId: string | null;
  now(): number;
  /** How to start the lobby; null: its version is gone. */
  describe(namespaceId: string, lobby: LobbyView): Promise<LobbyToStart | null>;
  /** The ports in the form that lobbies carry. */
  portsText(ports: LobbyPorts): string;
  /** Hears that the driver counts the lobby's server from now on, or that it will not be started. */
  counted(lobbyId: string): void;
  /** Hears how the server of a lobby that had ended before it has ended, when somebody saw it. */
  noteExit(lobbyId: string, exit: LobbyExit & { readonly message: string }): Promise<void>;
}

export interface Supervisor {
  /** Ends every lobby that Foyer runs, and resolves when their servers are gone. */
  stopLobbies(): Promise<void>;
  /** Where the engine can lose what it was told, compares what runs here with what it knows, and mends what differs. */
  reconcile(): Promise<void>;
  /** Events of a namespace were lost: starts what was placed here meanwhile, and mends what differs. */
  lookAgain(namespaceId: string): Promise<void>;
  /** Stops watching; the servers run on. One that is slow to stop is left to the next process of the service. */
  stop(): Promise<void>;
}

const retryMs = 500;
/** How long the ends of lobbies may take to be recorded when all are stopped; what is not by then, the next start notes. */
const recordWithinMs = 3_000;
const keptLogBytes = 4096;

/**
 * Keeps lobby servers and lobbies in step: starts the server of every new lobby, stops that of every ended one, and
 * ends the lobby of a server that ended by itself. After a restart it first takes back what still runs.
 */
export async function supervise(parts: SuperviseParts): Promise<Supervisor> {
  const { engine, runtime, gate, log, ownId } = parts;
  const namespaceOf = new Map<string, string>();
  const ownNode = ownId === null ? {} : { nodeId: ownId };
  /** Starts and ends of lobbies, which have to be recorded before the service ends. */
  const underWay = new Set<Promise<void>>();
  /** Servers that were told to stop, which may take their time. */
  const leaving = new Set<Promise<void>>();
  const events = engine.events()[Symbol.asyncIterator]();
  let isStopping = false;
  /** All lobbies are being stopped: nothing is started any more. */
  let isLeaving = false;

  runtime.onExit((lobbyId, exit) => {
    const namespaceId = namespaceOf.get(lobbyId);
    if (namespaceId !== undefined) track(underWay, exited(namespaceId, lobbyId, exit));
  });
  await takeBack();
  const listening = listen();

  function track(tasks: Set<Promise<void>>, task: Promise<void>): void {
    tasks.add(task);
    void task.finally(() => tasks.delete(task));
  }

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if ("lobby" in next.value && !next.value.lobby.isExternal) hear(next.value);
    }
  }

  function hear({ type, namespaceId, lobby }: Extract<Event, { lobby: LobbyView }>): void {
    if (isToStart(type, lobby)) track(underWay, start(namespaceId, lobby));
    // Another node has it, because this one could not be heard of for a while.
    if (isMovedAway(type, lobby)) stop(lobby.lobbyId);
    if (type === "lobby.ready") gate.becameReady(lobby.versionId, lobby.gameMode, lobby.lobbyId);
    if (type !== "lobby.stopped") return;
    if (lobby.stopReason === "not_ready") noteFailure(lobby, "it was not ready in time.");
    else if (lobby.stopReason !== "crashed" && lobby.stopReason !== "start_failed") gate.ended(lobby);
    else if (!isOurs(lobby)) hearOfFailure(lobby);
    if (isOurs(lobby)) stop(lobby.lobbyId, lobby.exit === null ? lobby : null);
  }

  /** Of another node, or of a lobby that no node had room for. */
  function hearOfFailure(lobby: LobbyView): void {
    // Border: the text was written by the supervisor of that node, or by who places lobbies.
    const exit = lobby.exit === null ? null : (JSON.parse(lobby.exit) as Partial<LobbyEnd>);
    if (exit?.isNoFault) gate.ended(lobby);
    else noteFailure(lobby, exit?.message ?? "it could not be started.");
  }

  function isOurs(lobby: LobbyView): boolean {
    return ownId === null || lobby.nodeId === ownId;
  }

  function isMovedAway(type: Event["type"], lobby: LobbyView): boolean {
    return type === "lobby.changed" && lobby.nodeId !== null && !isOurs(lobby) && namespaceOf.has(lobby.lobbyId);
  }

  /** Alone, at its creation; one of several, when it is told that the lobby was placed here, however often. */
  function isToStart(type: Event["type"], lobby: LobbyView): boolean {
    if (ownId === null) return type === "lobby.created";
    const isWaiting = lobby.status === "starting" && lobby.ports === null && !namespaceOf.has(lobby.lobbyId);
    return type === "lobby.changed" && lobby.nodeId === ownId && isWaiting;
  }

  async function takeBack(): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for await (const lobby of pickLobbies(engine, namespaceId, parts.now, ownId === null ? {} : { nodeId: ownId })) {
        if (!lobby.isExternal) await takeBackOne(namespaceId, lobby);
      }
    }
    for (const lobbyId of await runtime.list()) if (!namespaceOf.has(lobbyId)) stop(lobbyId);
  }

  async function takeBackOne(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    namespaceOf.set(lobbyId, namespaceId);
    const ports = await runtime.adopt(lobbyId, namespaceId);
    if (!ports && ownId !== null && lobby.ports === null) {
      // It was placed here while nobody was listening.
      track(underWay, start(namespaceId, lobby));
    } else if (!ports) {
      log.warn({ lobby_id: lobbyId, namespace_id: namespaceId }, "a lobby's server ended while the service was down");
      const message = "Its process ended while the service was down.";
      await end(namespaceId, lobbyId, "crashed", { code: null, signal: null, message, log: await lastLines(lobbyId) });
    } else if (lobby.ports === null) {
      // The service was killed between starting the server and writing down where it is.
      await engine.execute({
        type: "setPorts",
        namespaceId,
        lobbyId,
        now: parts.now(),
        ports: parts.portsText(ports),
        ...ownNode,
      });
    }
  }

  async function start(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId, versionId, gameMode } = lobby;
    namespaceOf.set(lobbyId, namespaceId);
    const held = gate.enter(versionId, gameMode, lobbyId, parts.now());
    if (held) {
      parts.counted(lobbyId);
      return endUnstarted(namespaceId, lobbyId, held.message, true);
    }
    try {
      const description = await whenReachable(() => parts.describe(namespaceId, lobby));
      // The store was away for so long that the lobby has ended meanwhile.
      if (!namespaceOf.has(lobbyId) || isLeaving) return;
      if (!description) throw new LobbyNotStarted("Its version is gone.");
      const started = runtime.start(description);
      parts.counted(lobbyId);
      const ports = parts.portsText(await started);
      const command = { type: "setPorts", namespaceId, lobbyId, ports, ...ownNode } as const;
      const outcome = await whenReachable(() => engine.execute({ ...command, now: parts.now() }));
      // The lobby ended or was moved while its server was starting, so nobody else will stop it.
      if (!outcome.ok) stop(lobbyId);
    } catch (fault) {
      // A store that is away while the service stops says nothing about the lobby; the next start takes it up again.
      if (isAway(fault) && (isStopping || isLeaving)) return;
      log.error({ err: fault, lobby_id: lobbyId, namespace_id: namespaceId }, "a lobby could not be started");
      const message = fault instanceof LobbyNotStarted ? fault.message : "It could not be started.";
      const isNoFault = fault instanceof LobbyNotStarted && fault.isShortage;
      if (isNoFault) gate.ended(lobby);
      else noteFailure(lobby, message);
      await endUnstarted(namespaceId, lobbyId, message, isNoFault);
    } finally {
      parts.counted(lobbyId);
    }
  }

  /** That a store is away says nothing about the lobby's version. */
  async function whenReachable<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await task();
      } catch (fault) {
        if (!isAway(fault) || isStopping || isLeaving) throw fault;
        await sleep(retryMs);
      }
    }
  }

  function endUnstarted(namespaceId: string, lobbyId: string, message: string, isNoFault: boolean): Promise<void> {
    return end(namespaceId, lobbyId, "start_failed", { code: null, signal: null, message, log: "", isNoFault });
  }

  /** `unexplained`: the lobby, when it does not carry yet how its server ended. */
  function stop(lobbyId: string, unexplained: LobbyView | null = null): void {
    namespaceOf.delete(lobbyId);
    track(leaving, stopServer(lobbyId, unexplained));
  }

  async function stopServer(lobbyId: string, unexplained: LobbyView | null): Promise<void> {
    try {
      const exit = (await runtime.stop(lobbyId)) ?? runtime.exitOf(lobbyId);
      if (!exit || !unexplained || (exit.code === null && exit.signal === null)) return;
      await parts.noteExit(lobbyId, { ...exit, message: exitWords(exit, unexplained.readyAt !== null) });
    } catch (fault) {
      log.error({ err: fault, lobby_id: lobbyId }, "a lobby's server could not be stopped");
    }
  }

  /** The server ended without having been asked to. One that was ready and ends with code 0 has ended itself. */
  async function exited(namespaceId: string, lobbyId: string, exit: LobbyExit): Promise<void> {
    const lobby = await persist(() => engine.read({ type: "lobby", namespaceId, lobbyId, now: parts.now() }));
    if (!lobby || lobby.status === "stopped" || (ownId !== null && lobby.nodeId !== null && !isOurs(lobby))) return;
    const message = exitWords(exit, lobby.readyAt !== null);
    const ended = { ...exit, message, log: await lastLines(lobbyId) };
    if (exit.code === 0 && lobby.readyAt !== null) return end(namespaceId, lobbyId, "self", ended);
    log.warn({ lobby_id: lobbyId, namespace_id: namespaceId, ...ended }, "a lobby's process ended by itself");
    noteFailure(lobby, message);
    await end(namespaceId, lobbyId, "crashed", ended);
  }

  function noteFailure(lobby: LobbyView, why: string): void {
    const held = gate.failed(lobby, why, parts.now());
    if (!held) return;
    const { versionId, gameMode } = lobby;
    const { consecutiveFailures, retryAfterS } = held;
    const fields = {
      version_id: versionId,
      game_mode_id: gameMode,
      failures: consecutiveFailures,
      wait_s: retryAfterS,
    };
    log.error(fields, "lobbies of a game mode keep failing; none is started until the wait is over");
  }

  /** What the process wrote last, without tokens, should the program have printed its own. */
  async function lastLines(lobbyId: string): Promise<string> {
    const streams = ["stderr", "stdout"] as const;
    for (const stream of streams) {
      const { text } = await runtime.logs(lobbyId, stream, keptLogBytes, redact).catch(() => ({ text: "" }));
      if (text.trim() !== "") return text;
    }
    return "";
  }

  async function end(namespaceId: string, lobbyId: string, reason: StopReason, exit: LobbyEnd | null): Promise<void> {
    const text = exit && JSON.stringify(exit);
    const base = { type: "stopLobby", namespaceId, lobbyId, reason, exit: text } as const;
    await persist(() => engine.execute({ ...base, now: parts.now() }));
  }

  /** A Redis that failed over may have forgotten that a lobby was made, ended or placed. */
  async function compare(namespaceId: string, lobbyId: string): Promise<void> {
    const at = { namespaceId, lobbyId, now: parts.now() };
    const lobby = await engine.read({ type: "lobby", ...at });
    if (!namespaceOf.has(lobbyId)) return;
    if (ownId !== null && lobby?.nodeId === null && lobby.status !== "stopped") {
      const outcome = await engine.execute({ type: "placeLobby", ...at, nodeId: ownId });
      if (outcome.ok) return;
    } else if (lobby && lobby.status !== "stopped" && isOurs(lobby)) return;
    log.warn(
      { lobby_id: lobbyId, namespace_id: namespaceId },
      "stopping orphaned lobby server: its lobby no longer exists",
    );
    stop(lobbyId, lobby);
  }

  /**
   * An engine that takes nothing now will later; until then a lobby without a server would keep its players waiting. Any
   * other fault would be the same the next time.
   */
  async function persist<T>(task: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await task();
      } catch (fault) {
        if (!isAway(fault)) {
          log.error({ err: fault }, "the end of a lobby could not be recorded");
          return null;
        }
        if (isStopping || isLeaving) return null;
        log.error({ err: fault }, "the end of a lobby could not be recorded yet; it is tried again");
        await sleep(retryMs);
      }
    }
  }

  return {
    async stopLobbies() {
      isLeaving = true;
      const ends = [...namespaceOf].map(([lobbyId, namespaceId]) => end(namespaceId, lobbyId, "operator", null));
      // Servers must go also when nobody can be told, so that this does not wait for ever.
      await Promise.race([Promise.all([...ends, ...underWay]), sleep(recordWithinMs, undefined, { ref: false })]);
      for (const lobbyId of await runtime.list()) stop(lobbyId);
      await Promise.all([...leaving]);
    },
    async reconcile() {
      for (const [lobbyId, namespaceId] of [...namespaceOf]) await compare(namespaceId, lobbyId);
    },
    async lookAgain(namespaceId) {
      const wanted = { status: "starting", nodeId: ownId ?? "" } as const;
      // A namespace that was deleted has nothing left to start, however much of it is still to be removed.
      const { revision } = await engine.read({ type: "counts", namespaceId, now: parts.now() });
      for await (const lobby of revision === null ? [] : pickLobbies(engine, namespaceId, parts.now, wanted)) {
        if (isStopping) return;
        if (!lobby.isExternal && isToStart("lobby.changed", lobby)) track(underWay, start(namespaceId, lobby));
      }
      for (const [lobbyId, of] of [...namespaceOf]) if (of === namespaceId) await compare(namespaceId, lobbyId);
    },
    async stop() {
      isStopping = true;
      await events.return?.();
      await listening;
      await Promise.all([...underWay]);
    },
  };
}

function isAway(fault: unknown): boolean {
  return fault instanceof StoreUnavailable || fault instanceof EngineUnavailable;
}

/** How a lobby's server ended, as the lobby carries it in its `exit`. */
interface LobbyEnd extends LobbyExit {
  readonly message: string;
  /** What it wrote last. */
  readonly log: string;
  /** It was not started, and says nothing about its version: there was no room, or others have failed. */
  readonly isNoFault?: boolean;
}
