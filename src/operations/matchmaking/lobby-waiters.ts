import { type Engine, isLobbyEvent } from "../../engine/engine.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { WhenGone } from "../callers.ts";

/** How a wait for a starting lobby ended. */
type Waited =
  | { readonly end: "ready"; readonly lobby: LobbyView }
  | { readonly end: "stopped"; readonly lobby: LobbyView | null }
  | { readonly end: "timeout" | "stopping" | "disconnected" };

export interface Waiting {
  /**
   * Resolves when the lobby is ready or has ended, when the time is over, the service stops, or the client disconnects.
   * `dueAt`: when a lobby that is not ready is stopped.
   */
  untilReady(namespaceId: string, lobbyId: string, whenGone: WhenGone, dueAt?: number): Promise<Waited>;
  /** Events of a namespace were lost: reads the lobbies there that requests wait for. */
  resync(namespaceId: string): Promise<void>;
  /** How many are waiting now. */
  count(): number;
  /** Ends every wait, now and from now on. */
  stop(): void;
}

/** A client that is asked to come back comes after so long. */
const backAfterMs = 5_000;
/** A lobby that is due is stopped within this time. */
const stoppedWithinMs = 2_000;

export function createWaiting(engine: Engine, options: { waitMs: number; waitersMax: number; now(): number }): Waiting {
  let count = 0;
  const waiters = new Map<string, Set<(waited: Waited) => void>>();
  const namespaceByLobby = new Map<string, string>();
  let isStopping = false;
  // It ends with the engine.
  void listen();

  async function listen(): Promise<void> {
    for await (const event of engine.events(isLobbyEvent)) {
      if (event.type === "lobby.ready" || event.type === "lobby.changed") {
        if (isReachable(event.lobby)) wake(event.lobby.lobbyId, { end: "ready", lobby: event.lobby });
      }
      if (event.type === "lobby.stopped") wake(event.lobby.lobbyId, { end: "stopped", lobby: event.lobby });
    }
  }

  async function look(namespaceId: string, lobbyId: string): Promise<void> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: options.now() });
    if (!lobby || lobby.status === "stopped") wake(lobbyId, { end: "stopped", lobby });
    else if (isReachable(lobby)) wake(lobbyId, { end: "ready", lobby });
  }

  function wake(lobbyId: string, waited: Waited): void {
    for (const end of [...(waiters.get(lobbyId) ?? [])]) end(waited);
  }

  /** A client that came back after the end of the lobby would start another one, so that end is waited for. */
  function waitMs(leftMs: number): number {
    const isSoon = options.waitMs > backAfterMs && leftMs <= options.waitMs + backAfterMs;
    return isSoon ? Math.max(options.waitMs, leftMs + stoppedWithinMs) : options.waitMs;
  }

  return {
    untilReady(namespaceId, lobbyId, whenGone, dueAt = Infinity) {
      if (isStopping) return Promise.resolve({ end: "stopping" });
      if (count >= options.waitersMax) return Promise.resolve({ end: "timeout" });
      count += 1;
      return new Promise<Waited>((resolve, reject) => {
        const waiting = waiters.get(lobbyId) ?? new Set();
        waiters.set(lobbyId, waiting);
        namespaceByLobby.set(lobbyId, namespaceId);
        waiting.add(end);
        const timer = setTimeout(() => end({ end: "timeout" }), waitMs(dueAt - options.now()));
        let stopListening = () => {};
        stopListening = whenGone(() => end({ end: "disconnected" }));
        // It may have become ready between the seating and now; from here on the events show it.
        look(namespaceId, lobbyId).catch((error: unknown) => {
          leave();
          reject(error);
        });

        function end(waited: Waited): void {
          leave();
          resolve(waited);
        }

        function leave(): void {
          if (!waiting.delete(end)) return;
          count -= 1;
          clearTimeout(timer);
          stopListening();
          if (waiting.size === 0 && waiters.get(lobbyId) === waiting) {
            waiters.delete(lobbyId);
            namespaceByLobby.delete(lobbyId);
          }
        }
      });
    },
    async resync(namespaceId) {
      for (const [lobbyId, of] of [...namespaceByLobby]) if (of === namespaceId) await look(namespaceId, lobbyId);
    },
    count: () => count,
    stop() {
      isStopping = true;
      for (const lobbyId of [...waiters.keys()]) wake(lobbyId, { end: "stopping" });
    },
  };
}

/** A fast server may be ready before its driver has reported its ports; a player needs both. */
export function isReachable(lobby: LobbyView): boolean {
  return lobby.status === "ready" && lobby.ports !== null;
}
