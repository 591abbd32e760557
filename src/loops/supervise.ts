import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../log.ts";
import type { Answer, LobbyView, StopReason } from "../matchmaker/commands.ts";
import type { LobbyExit, LobbyPort, LobbyToStart, Runtime } from "../runtime/runtime.ts";

export interface SuperviseParts {
  readonly engine: Engine;
  readonly runtime: Runtime;
  readonly log: Logger;
  now(): number;
  /** How to start the lobby; null: its version is gone. */
  describe(namespaceId: string, lobby: LobbyView): Promise<LobbyToStart | null>;
  /** The ports in the form that lobbies carry. */
  portsText(ports: Readonly<Record<string, LobbyPort>>): string;
}

const pageSize = 500;

/**
 * Keeps lobby servers and lobbies in step: starts the server of every new lobby, stops that of every ended one, and
 * ends the lobby of a server that ended by itself. After a restart it first takes back what still runs.
 */
export async function supervise(parts: SuperviseParts): Promise<{ stop(): Promise<void> }> {
  const { engine, runtime, log } = parts;
  const namespaceOf = new Map<string, string>();
  const events = engine.events("supervise")[Symbol.asyncIterator]();
  runtime.onExit((lobbyId, exit) => {
    const namespaceId = namespaceOf.get(lobbyId);
    if (namespaceId !== undefined) void end(namespaceId, lobbyId, "crashed", exit);
  });
  await takeBack();
  const listening = listen();

  async function listen(): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type === "lobby.created" && !event.lobby.isExternal) void start(event.namespaceId, event.lobby);
      if (event.type === "lobby.stopped" && !event.lobby.isExternal) void stop(event.lobby.lobbyId);
    }
  }

  async function takeBack(): Promise<void> {
    for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
      for await (const lobby of livingLobbies(namespaceId)) {
        if (lobby.isExternal) continue;
        namespaceOf.set(lobby.lobbyId, namespaceId);
        const isRunning = await runtime.adopt(lobby.lobbyId);
        if (!isRunning) await end(namespaceId, lobby.lobbyId, "crashed", null);
      }
    }
    for (const lobbyId of await runtime.list()) if (!namespaceOf.has(lobbyId)) await runtime.stop(lobbyId);
  }

  async function* livingLobbies(namespaceId: string): AsyncIterable<LobbyView> {
    let after: string | null = null;
    do {
      const page: Answer<"listAllLobbies"> = await engine.read({
        type: "listAllLobbies",
        namespaceId,
        now: parts.now(),
        includeStopped: false,
        after,
        limit: pageSize,
      });
      yield* page.lobbies;
      after = page.next;
    } while (after !== null);
  }

  async function start(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    namespaceOf.set(lobbyId, namespaceId);
    try {
      const description = await parts.describe(namespaceId, lobby);
      if (!description) throw new Error("the lobby's version is gone");
      const ports = parts.portsText(await runtime.start(description));
      const outcome = await engine.execute({ type: "setPorts", namespaceId, lobbyId, now: parts.now(), ports });
      // The lobby ended while its server was starting, so nobody else will stop it.
      if (!outcome.ok) await stop(lobbyId);
    } catch (fault) {
      log.error({ err: fault, lobby_id: lobbyId, namespace_id: namespaceId }, "a lobby could not be started");
      await end(namespaceId, lobbyId, "start_failed", null);
    }
  }

  async function stop(lobbyId: string): Promise<void> {
    namespaceOf.delete(lobbyId);
    await runtime.stop(lobbyId).catch((fault: unknown) => {
      log.error({ err: fault, lobby_id: lobbyId }, "a lobby's server could not be stopped");
    });
  }

  async function end(namespaceId: string, lobbyId: string, reason: StopReason, exit: LobbyExit | null): Promise<void> {
    const command = { namespaceId, lobbyId, now: parts.now(), reason, exit: exit && JSON.stringify(exit) };
    await engine.execute({ type: "stopLobby", ...command }).catch((fault: unknown) => {
      log.error({ err: fault, lobby_id: lobbyId }, "the end of a lobby could not be recorded");
    });
  }

  return {
    async stop() {
      await events.return?.();
      await listening;
    },
  };
}
