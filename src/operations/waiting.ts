import type { Engine } from "../engine/engine.ts";
import type { LobbyView } from "../matchmaker/commands.ts";

/** How a wait for a starting lobby ended. */
export type Waited =
  | { readonly end: "ready"; readonly lobby: LobbyView }
  | { readonly end: "stopped" | "timeout" | "stopping" | "gone" };

export interface Waiting {
  /** Resolves when the lobby is ready or has ended, when the time is over, the service stops, or the client goes away. */
  untilReady(namespaceId: string, lobbyId: string, whenGone: (listener: () => void) => void): Promise<Waited>;
  /** Ends every wait, now and from now on. */
  stop(): void;
}

export function createWaiting(engine: Engine, options: { waitMs: number; now(): number }): Waiting {
  const waiters = new Map<string, Set<(waited: Waited) => void>>();
  let isStopping = false;
  // It ends with the engine.
  void listen();

  async function listen(): Promise<void> {
    for await (const event of engine.events()) {
      if (event.type === "lobby.ready") wake(event.lobby.lobbyId, { end: "ready", lobby: event.lobby });
      if (event.type === "lobby.stopped") wake(event.lobby.lobbyId, { end: "stopped" });
    }
  }

  function wake(lobbyId: string, waited: Waited): void {
    for (const end of [...(waiters.get(lobbyId) ?? [])]) end(waited);
  }

  return {
    untilReady(namespaceId, lobbyId, whenGone) {
      if (isStopping) return Promise.resolve({ end: "stopping" });
      return new Promise<Waited>((resolve, reject) => {
        const waiting = waiters.get(lobbyId) ?? new Set();
        waiters.set(lobbyId, waiting);
        const timer = setTimeout(() => end({ end: "timeout" }), options.waitMs);
        waiting.add(end);
        whenGone(() => end({ end: "gone" }));
        // It may have become ready between the seating and now; from here on the events tell.
        engine.read({ type: "lobby", namespaceId, lobbyId, now: options.now() }).then((lobby) => {
          if (!lobby || lobby.status === "stopped") end({ end: "stopped" });
          else if (lobby.status === "ready") end({ end: "ready", lobby });
        }, reject);

        function end(waited: Waited): void {
          clearTimeout(timer);
          waiting.delete(end);
          if (waiting.size === 0 && waiters.get(lobbyId) === waiting) waiters.delete(lobbyId);
          resolve(waited);
        }
      });
    },
    stop() {
      isStopping = true;
      for (const lobbyId of [...waiters.keys()]) wake(lobbyId, { end: "stopping" });
    },
  };
}
