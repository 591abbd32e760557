import { setTimeout as sleep } from "node:timers/promises";
import { type Engine, isLobbyEvent } from "../../engine/engine.ts";
import { pickLobbies } from "../../engine/pick-lobbies.ts";
import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { LobbyView, WantedLobbies } from "../../matchmaker/commands.ts";
import { isRouted, type RoutedPort, readPorts } from "../matchmaking/ports.ts";

/** What the gateway knows about a lobby that Foyer runs and that has ports behind the gateway. */
export interface RoutedLobby {
  readonly lobbyId: string;
  readonly namespaceId: string;
  /** Null: this is the only node. */
  readonly nodeId: string | null;
  readonly maxPlayersDirect: number;
  /** Null: it lives. */
  readonly stoppedAt: number | null;
  /** Its ports behind the gateway, by label. */
  readonly ports: ReadonlyMap<string, RoutedPort>;
}

/** Finds lobbies by their id alone, which is all that a path of the gateway has. */
export interface LobbyDirectory {
  /**
   * Null: there is no such lobby, or players reach it directly. Waits a moment where another node may just have made it;
   * rejects with EngineUnavailable if the lobbies of other nodes are not known yet.
   */
  find(lobbyId: string): RoutedLobby | null | Promise<RoutedLobby | null>;
  /** Calls back when a lobby has stopped. */
  onStopped(listener: (lobbyId: string) => void): void;
  /** Events of the namespace were lost: reads its lobbies again. */
  resync(namespaceId: string): Promise<void>;
}

export interface DirectoryParts {
  readonly engine: Pick<Engine, "events" | "read">;
  now(): number;
  /** How long a lobby may be unknown here though another node has answered with it. */
  readonly learnMs: number;
  /** The lobbies of this node. */
  readonly own: WantedLobbies;
  /** Those of each other node. */
  others(): readonly WantedLobbies[];
  /** The lobbies of other nodes could not be read; the directory tries again. */
  onError(error: unknown): void;
}

/** As long as the engine remembers stopped lobbies. */
const rememberedMs = 10 * 60_000;
const waitersMax = 1_000;
/** How long a request waits until the lobbies of other nodes are read, and the pause after a read that failed. */
const readWaitMs = 5_000;
const tryAgainMs = 1_000;

/**
 * Follows the events of all lobbies, so that no request of the gateway asks the engine. Lobbies of before are read: those
 * of this node first, those of other nodes in the background, so that a start does not depend on how many there are.
 */
export async function openLobbyDirectory(parts: DirectoryParts): Promise<LobbyDirectory> {
  const { engine, learnMs } = parts;
  const known = createKnownLobbies(parts.now);
  const waiters = createWaiters();
  let areOthersKnown = false;
  let isClosed = false;

  function note(namespaceId: string, lobby: LobbyView): void {
    if (known.note(namespaceId, lobby)) waiters.wake(lobby.lobbyId);
  }

  /** What events have shown meanwhile is at least as new as what is read here. */
  async function readAll(kinds: readonly WantedLobbies[]): Promise<void> {
    if (kinds.length === 0) return;
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for await (const lobby of readLobbies(parts, namespaceId, kinds)) {
        if (known.get(lobby.lobbyId) === undefined) note(namespaceId, lobby);
      }
    }
  }

  async function readOthers(): Promise<void> {
    while (!isClosed && !areOthersKnown) {
      try {
        await readAll(parts.others());
        areOthersKnown = true;
      } catch (error) {
        if (!isClosed) parts.onError(error);
        await sleep(tryAgainMs, undefined, { ref: false });
      }
    }
    waiters.wakeAll();
  }

  const events = engine.events(isLobbyEvent);
  await readAll([parts.own]);
  void follow();
  void readOthers();

  async function follow(): Promise<void> {
    for await (const event of events) if ("lobby" in event) note(event.namespaceId, event.lobby);
    isClosed = true;
  }

  async function learn(lobbyId: string): Promise<RoutedLobby | null> {
    await waiters.wait(lobbyId, areOthersKnown ? learnMs : readWaitMs);
    const lobby = known.get(lobbyId);
    if (lobby === undefined && !areOthersKnown)
      throw new EngineUnavailable("The lobbies of other nodes are being read.");
    return lobby ?? null;
  }

  return {
    find(lobbyId) {
      const lobby = known.get(lobbyId);
      if (lobby !== undefined) return lobby;
      return areOthersKnown && learnMs === 0 ? null : learn(lobbyId);
    },
    onStopped: known.onStopped,
    resync: (namespaceId) => resync(parts, known, namespaceId, note),
  };
}

/** The lobbies of these kinds, stopped ones included. */
async function* readLobbies(
  { engine, now }: DirectoryParts,
  namespaceId: string,
  kinds: readonly WantedLobbies[],
): AsyncIterable<LobbyView> {
  for (const kind of kinds) yield* pickLobbies(engine, namespaceId, now, { ...kind, status: "any" });
}

async function resync(
  parts: DirectoryParts,
  known: KnownLobbies,
  namespaceId: string,
  note: (namespaceId: string, lobby: LobbyView) => void,
): Promise<void> {
  const { engine, now } = parts;
  const unseen = new Set(known.listLiving(namespaceId));
  const { revision } = await engine.read({ type: "counts", namespaceId, now: now() });
  // All lobbies of a deleted namespace have ended, however much of it is still to be removed.
  const isDeleted = revision === null;
  const kinds = isDeleted ? [] : [parts.own, ...parts.others()];
  for await (const lobby of readLobbies(parts, namespaceId, kinds)) {
    unseen.delete(lobby.lobbyId);
    note(namespaceId, lobby);
  }
  for (const lobbyId of unseen) {
    // One that moved from node to node may have been in neither list.
    const lobby = isDeleted ? null : await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    if (lobby === null) known.end(lobbyId);
    else note(namespaceId, lobby);
  }
}

/** Lobbies behind the gateway, and for a while those that have stopped. */
interface KnownLobbies {
  get(lobbyId: string): RoutedLobby | undefined;
  /** False: it has no ports behind the gateway. */
  note(namespaceId: string, lobby: LobbyView): boolean;
  /** It has stopped, and the engine no longer has it. */
  end(lobbyId: string): void;
  listLiving(namespaceId: string): string[];
  onStopped(listener: (lobbyId: string) => void): void;
}

function createKnownLobbies(now: () => number): KnownLobbies {
  const lobbies = new Map<string, RoutedLobby>();
  /** Stopped lobbies in the order of their ends. */
  const stopped = new Map<string, number>();
  const stopListeners: ((lobbyId: string) => void)[] = [];

  function set(lobby: RoutedLobby): void {
    const { lobbyId, stoppedAt } = lobby;
    // What was read before it stopped may arrive after the event.
    if (lobbies.get(lobbyId)?.stoppedAt != null) return;
    lobbies.set(lobbyId, lobby);
    if (stoppedAt === null) return;
    stopped.set(lobbyId, stoppedAt);
    for (const listener of stopListeners) listener(lobbyId);
    for (const [oldId, endedAt] of stopped) {
      if (endedAt + rememberedMs > now()) break;
      stopped.delete(oldId);
      lobbies.delete(oldId);
    }
  }

  return {
    get: (lobbyId) => lobbies.get(lobbyId),
    note(namespaceId, lobby) {
      const routed = toRouted(namespaceId, lobby, lobbies.get(lobby.lobbyId));
      if (routed !== null) set(routed);
      return routed !== null;
    },
    end(lobbyId) {
      const lobby = lobbies.get(lobbyId);
      if (lobby !== undefined) set({ ...lobby, stoppedAt: now() });
    },
    listLiving: (namespaceId) =>
      [...lobbies.values()]
        .filter((lobby) => lobby.namespaceId === namespaceId && lobby.stoppedAt === null)
        .map(({ lobbyId }) => lobbyId),
    onStopped: (listener) => void stopListeners.push(listener),
  };
}

/** Requests for lobbies that may become known within a moment. */
function createWaiters() {
  const waiters = new Map<string, Set<() => void>>();
  let waiting = 0;

  return {
    /** Resolves when the lobby is known or the time is over; immediately if too many wait. */
    async wait(lobbyId: string, ms: number): Promise<void> {
      if (waiting >= waitersMax) return;
      const waitingFor = waiters.get(lobbyId) ?? new Set();
      waiters.set(lobbyId, waitingFor);
      waiting += 1;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waitingFor.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waitingFor.add(wake);
      });
      waiting -= 1;
      if (waitingFor.size === 0) waiters.delete(lobbyId);
    },
    wake(lobbyId: string): void {
      for (const wake of waiters.get(lobbyId) ?? []) wake();
    },
    wakeAll(): void {
      for (const waitingFor of waiters.values()) for (const wake of waitingFor) wake();
    },
  };
}

/** Null: it has no port behind the gateway. */
function toRouted(namespaceId: string, lobby: LobbyView, known: RoutedLobby | undefined): RoutedLobby | null {
  if (lobby.isExternal) return null;
  const ports = lobby.ports === null ? known?.ports : readRouted(lobby.ports);
  if (ports === undefined || ports.size === 0) return null;
  const { lobbyId, nodeId, maxPlayersDirect, stoppedAt } = lobby;
  return { lobbyId, namespaceId, nodeId, maxPlayersDirect, stoppedAt, ports };
}

function readRouted(text: string): ReadonlyMap<string, RoutedPort> {
  const entries = Object.entries(readPorts(text)).flatMap(([label, port]) =>
    isRouted(port) ? [[label, port] as const] : [],
  );
  return new Map(entries);
}
