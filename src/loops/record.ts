import { setImmediate } from "node:timers/promises";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../log.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import type { Db } from "../store/db.ts";
import { insertPastLobby } from "../store/lobby-history.ts";
import { livingLobbies } from "./living-lobbies.ts";

export interface Recorder {
  /** Writes down what a store that was away has missed. The matchmaker remembers stopped lobbies for ten minutes. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

interface Seats {
  readonly taken: number;
  readonly peak: number;
}

/** Keeps the history of stopped lobbies, with the most seats that each had taken at once. */
export async function record(parts: { engine: Engine; db: Db; log: Logger; now(): number }): Promise<Recorder> {
  const { engine, db, log, now } = parts;
  const seats = new Map<string, Seats>();
  // What stopped while nobody was recording is caught up with at the first turn.
  let isBehind = true;
  let isIdle = false;
  const events = engine.events("record")[Symbol.asyncIterator]();
  for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
    for await (const lobby of livingLobbies(engine, namespaceId, now)) {
      const taken = lobby.reserved + lobby.connected;
      seats.set(lobby.lobbyId, { taken, peak: taken });
    }
  }
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
    if (event.type === "player.reserved") count(event.lobbyId, 1);
    else if (event.type === "player.left" || event.type === "player.expired") count(event.lobbyId, -1);
    if (event.type !== "lobby.stopped") return;
    try {
      await write(event.namespaceId, event.lobby);
    } catch (fault) {
      log.error({ err: fault, lobby_id: event.lobby.lobbyId }, "a stopped lobby could not be recorded yet");
      isBehind = true;
    }
  }

  function count(lobbyId: string, change: 1 | -1): void {
    const { taken, peak } = seats.get(lobbyId) ?? { taken: 0, peak: 0 };
    const changed = Math.max(0, taken + change);
    seats.set(lobbyId, { taken: changed, peak: Math.max(peak, changed) });
  }

  async function write(namespaceId: string, lobby: LobbyView): Promise<void> {
    await insertPastLobby(db, pastLobby(namespaceId, lobby, seats.get(lobby.lobbyId)?.peak ?? 0));
    seats.delete(lobby.lobbyId);
  }

  return {
    async catchUp() {
      if (!isBehind) return;
      for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
        for await (const lobby of livingLobbies(engine, namespaceId, now, true)) {
          if (lobby.status === "stopped") await write(namespaceId, lobby);
        }
      }
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

function pastLobby(namespaceId: string, lobby: LobbyView, peakPlayerCount: number) {
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
    peakPlayerCount,
    exitCode: exit?.code ?? null,
    exitSignal: exit?.signal ?? null,
    exitMessage: exit?.message ?? null,
  };
}
