import { type Engine, isLobbyEvent } from "../../engine/engine.ts";
import type { Answer, LobbyView } from "../../matchmaker/commands.ts";
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
  /** Null: there is no such lobby, or players reach it directly. Waits a moment where another node may just have made it. */
  find(lobbyId: string): RoutedLobby | null | Promise<RoutedLobby | null>;
  /** Calls back when a lobby has stopped. */
  onStopped(listener: (lobbyId: string) => void): void;
  /** Events of the namespace were lost: reads its lobbies again. */
  resync(namespaceId: string): Promise<void>;
}

/** As long as the engine remembers stopped lobbies. */
const rememberedMs = 10 * 60_000;
const waitersMax = 1_000;

/**
 * Follows the events of all lobbies, so that no request of the gateway asks the engine. `learnMs`: how long a lobby may
 * be unknown here though another node has answered with it.
 */
export async function openLobbyDirectory(parts: {
  engine: Pick<Engine, "events" | "read">;
  now(): number;
  readonly learnMs: number;
}): Promise<LobbyDirectory> {
  const { engine, now, learnMs } = parts;
  const lobbies = new Map<string, RoutedLobby>();
  /** Stopped lobbies in the order of their ends. */
  const stopped = new Map<string, number>();
  const stopListeners: ((lobbyId: string) => void)[] = [];
  const waiters = createWaiters(learnMs);

  function note(namespaceId: string, lobby: LobbyView): void {
    const known = lobbies.get(lobby.lobbyId);
    const noted = toRouted(namespaceId, lobby, known);
    if (noted === null) return;
    lobbies.set(lobby.lobbyId, noted);
    if (noted.stoppedAt !== null && known?.stoppedAt !== noted.stoppedAt) noteStop(lobby.lobbyId, noted.stoppedAt);
    waiters.wake(lobby.lobbyId);
  }

  function noteStop(lobbyId: string, at: number): void {
    stopped.set(lobbyId, at);
    for (const listener of stopListeners) listener(lobbyId);
    for (const [oldId, endedAt] of stopped) {
      if (endedAt + rememberedMs > now()) break;
      stopped.delete(oldId);
      lobbies.delete(oldId);
    }
  }

  /** What is missing in the namespace has ended. */
  async function resync(namespaceId: string): Promise<void> {
    const seen = new Set<string>();
    for await (const lobby of listLobbies(engine, namespaceId, now)) {
      seen.add(lobby.lobbyId);
      note(namespaceId, lobby);
    }
    for (const lobby of lobbies.values()) {
      if (lobby.namespaceId !== namespaceId || lobby.stoppedAt !== null || seen.has(lobby.lobbyId)) continue;
      const stoppedAt = now();
      lobbies.set(lobby.lobbyId, { ...lobby, stoppedAt });
      noteStop(lobby.lobbyId, stoppedAt);
    }
  }

  const events = engine.events(isLobbyEvent);
  for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
    for await (const lobby of listLobbies(engine, namespaceId, now)) note(namespaceId, lobby);
  }
  void follow();

  async function follow(): Promise<void> {
    for await (const event of events) if ("lobby" in event) note(event.namespaceId, event.lobby);
  }

  return {
    find(lobbyId) {
      const known = lobbies.get(lobbyId);
      if (known !== undefined) return known;
      return waiters.wait(lobbyId)?.then(() => lobbies.get(lobbyId) ?? null) ?? null;
    },
    onStopped: (listener) => void stopListeners.push(listener),
    resync,
  };
}

/** Requests for lobbies that may become known within a moment. */
function createWaiters(learnMs: number) {
  const waiters = new Map<string, Set<() => void>>();
  let waiting = 0;

  async function wait(lobbyId: string): Promise<void> {
    const waitingFor = waiters.get(lobbyId) ?? new Set();
    waiters.set(lobbyId, waitingFor);
    waiting += 1;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        waitingFor.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, learnMs);
      waitingFor.add(wake);
    });
    waiting -= 1;
    if (waitingFor.size === 0) waiters.delete(lobbyId);
  }

  return {
    /** Null: there is nothing to wait for, or too many wait. */
    wait: (lobbyId: string) => (learnMs === 0 || waiting >= waitersMax ? null : wait(lobbyId)),
    wake(lobbyId: string): void {
      for (const wake of waiters.get(lobbyId) ?? []) wake();
    },
  };
}

async function* listLobbies(
  engine: Pick<Engine, "read">,
  namespaceId: string,
  now: () => number,
): AsyncIterable<LobbyView> {
  let after: string | null = null;
  do {
    const query = { type: "listAllLobbies", namespaceId, now: now(), includeStopped: true, after, limit: 500 } as const;
    const page: Answer<"listAllLobbies"> = await engine.read(query);
    yield* page.lobbies;
    after = page.next;
  } while (after !== null);
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
