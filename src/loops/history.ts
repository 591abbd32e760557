import { setImmediate } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../ground/log.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import type { Db } from "../store/db.ts";
import { insertPastLobby, updatePastExit } from "../store/lobby-history.ts";
import { collectErrors } from "./collect-errors.ts";
import { pickLobbies } from "./pick-lobbies.ts";

/** How a lobby's process ended that had been asked to. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message: string;
}

/** Exits whose lobbies the store has not taken yet; it cannot be away for long enough to need more. */
const exitsMax = 1_000;

export interface Recorder {
  /** The process of a stopped lobby ends after the lobby, and so after or before the lobby is written down. */
  noteExit(lobbyId: string, exit: Exit): Promise<void>;
  /** Writes down what a store that was away has missed. The matchmaker remembers stopped lobbies for ten minutes. */
  catchUp(): Promise<void>;
  /** There may be lobbies that stopped while somebody else was to write them down. */
  expectMore(): void;
  stop(): Promise<void>;
}

/** Keeps the history of stopped lobbies. */
export async function record(parts: {
  engine: Engine;
  db: Db;
  log: Logger;
  now(): number;
  /** Whether this node writes the lobby down. Where several do, nothing is written twice. */
  isOurs(lobby: LobbyView): boolean;
}): Promise<Recorder> {
  const { engine, db, log, now } = parts;
  // What stopped while nobody was recording is caught up with at the first turn.
  let isBehind = true;
  const exits = new Map<string, Exit>();
  let isIdle = false;
  const events = engine.events()[Symbol.asyncIterator]();
  const listening = listen();

  async function listen(): Promise<void> {
    for (;;) {
      isIdle = true;
      const next = await events.next();
      isIdle = false;
      if (next.done) return;
      await hear(next.value);
    }
  }

  async function hear(event: Event): Promise<void> {
    if (event.type !== "lobby.stopped" || !parts.isOurs(event.lobby)) return;
    // The history of a namespace goes with it.
    if (event.lobby.stopReason === "namespace_removed") return;
    try {
      await write(event.namespaceId, event.lobby);
    } catch (fault) {
      log.error({ err: fault, lobby_id: event.lobby.lobbyId }, "a stopped lobby could not be recorded yet");
      isBehind = true;
    }
  }

  async function write(namespaceId: string, lobby: LobbyView): Promise<void> {
    await insertPastLobby(db, pastLobby(namespaceId, lobby));
    await writeExit(lobby.lobbyId);
  }

  async function writeStopped(namespaceId: string): Promise<void> {
    for await (const lobby of pickLobbies(engine, namespaceId, now, { status: "stopped" })) {
      if (parts.isOurs(lobby)) await write(namespaceId, lobby);
    }
  }

  /** Both the lobby and its exit try this when they come, so it succeeds for whichever comes second. */
  async function writeExit(lobbyId: string): Promise<void> {
    const exit = exits.get(lobbyId);
    if (exit && (await updatePastExit(db, lobbyId, exit))) exits.delete(lobbyId);
  }

  return {
    async noteExit(lobbyId, exit) {
      const [oldest] = exits.keys();
      if (exits.size >= exitsMax && oldest !== undefined) exits.delete(oldest);
      exits.set(lobbyId, exit);
      try {
        await writeExit(lobbyId);
      } catch (fault) {
        log.error({ err: fault, lobby_id: lobbyId }, "the end of a lobby's process could not be recorded yet");
        isBehind = true;
      }
    },
    expectMore() {
      isBehind = true;
    },
    async catchUp() {
      if (!isBehind) return;
      const errors = collectErrors();
      for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
        await writeStopped(namespaceId).catch(errors.add);
      }
      errors.throwFirst();
      isBehind = false;
    },
    async stop() {
      // What has been told is written down before the ear is closed, as after a Ctrl-C that ended every lobby.
      while (!isIdle) await setImmediate();
      await events.return?.();
      await listening;
    },
  };
}

function pastLobby(namespaceId: string, lobby: LobbyView) {
  // Border: the text was written by the supervisor.
  const exit = lobby.exit === null ? null : (JSON.parse(lobby.exit) as Partial<Record<string, never>>);
  return {
    lobbyId: lobby.lobbyId,
    namespaceId,
    gameMode: lobby.gameMode,
    region: lobby.region,
    versionId: lobby.versionId,
    createTs: lobby.createdAt,
    readyTs: lobby.readyAt,
    stopTs: lobby.stoppedAt ?? lobby.createdAt,
    stopReason: lobby.stopReason ?? "",
    peakPlayerCount: lobby.peakSeats,
    exitCode: exit?.code ?? null,
    exitSignal: exit?.signal ?? null,
    exitMessage: exit?.message ?? null,
  };
}
