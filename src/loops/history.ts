import type { Engine } from "../engine/engine.ts";
import { pickLobbies } from "../engine/pick-lobbies.ts";
import type { Logger } from "../ground/log.ts";
import type { Event, LobbyView } from "../matchmaker/commands.ts";
import { describeStop } from "../operations/live/stop-message.ts";
import type { Db } from "../store/db.ts";
import { insertPastLobby, updatePastExit } from "../store/lobby-history.ts";
import { collectErrors } from "./collect-errors.ts";
import { followEvents } from "./follow-events.ts";
import { readLobbyEnd } from "./lobby-end.ts";

/** How a lobby's process ended after Foyer stopped it. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly message: string | null;
}

/** Exits whose lobbies are not in the store yet; the store is never unavailable for long enough to need more. */
const exitsMax = 1_000;

export interface Recorder {
  /** The process of a stopped lobby ends after the lobby, and so before or after the lobby is written to the store. */
  noteExit(lobbyId: string, exit: Exit): Promise<void>;
  /** Writes what the store missed while it was unavailable. The engine keeps stopped lobbies for ten minutes. */
  catchUp(): Promise<void>;
  /** There may be stopped lobbies that the node responsible for them did not write. */
  expectMore(): void;
  stop(): Promise<void>;
}

export interface RecordParts {
  readonly engine: Engine;
  readonly db: Db;
  readonly log: Logger;
  now(): number;
  /** Whether this node writes the lobby. Where several do, nothing is written twice. */
  isOurs(lobby: LobbyView): boolean;
  /** Picks lobbies among which are all that this node writes now. */
  picked(): { readonly nodeId?: string };
}

/** Keeps the history of stopped lobbies. */
export async function record(parts: RecordParts): Promise<Recorder> {
  const { engine, db, log } = parts;
  // The first turn catches up with what stopped while the service was down.
  let isBehind = true;
  const exits = createExits(db);
  const following = followEvents(
    engine.events(({ type }) => type === "lobby.stopped"),
    handleEvent,
  );

  async function handleEvent(event: Event): Promise<void> {
    if (event.type !== "lobby.stopped" || !parts.isOurs(event.lobby)) return;
    // Deleting a namespace deletes its history.
    if (event.lobby.stopReason === "namespace_removed") return;
    try {
      await writeLobby(db, exits, event.namespaceId, event.lobby);
    } catch (error) {
      log.error({ err: error, lobby_id: event.lobby.lobbyId }, "a stopped lobby could not be saved; Foyer tries again");
      isBehind = true;
    }
  }

  return {
    async noteExit(lobbyId, exit) {
      exits.note(lobbyId, exit);
      try {
        await exits.write(lobbyId);
      } catch (error) {
        log.error(
          { err: error, lobby_id: lobbyId },
          "the exit of a lobby's process could not be saved; Foyer tries again",
        );
        isBehind = true;
      }
    },
    expectMore() {
      isBehind = true;
    },
    async catchUp() {
      if (!isBehind) return;
      // What is expected from here on is for the next time.
      isBehind = false;
      try {
        const errors = collectErrors();
        for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
          await writeStopped(parts, exits, namespaceId).catch(errors.add);
        }
        errors.throwFirst();
      } catch (error) {
        isBehind = true;
        throw error;
      }
    },
    stop: following.stop,
  };
}

/** Exits of lobbies until they are in the store. */
interface Exits {
  note(lobbyId: string, exit: Exit): void;
  /** Called when the lobby is known and when its exit is known; the second call succeeds. */
  write(lobbyId: string): Promise<void>;
}

function createExits(db: Db): Exits {
  const exits = new Map<string, Exit>();
  return {
    note(lobbyId, exit) {
      const [oldest] = exits.keys();
      if (exits.size >= exitsMax && oldest !== undefined) exits.delete(oldest);
      exits.set(lobbyId, exit);
    },
    async write(lobbyId) {
      const exit = exits.get(lobbyId);
      if (exit && (await updatePastExit(db, lobbyId, exit))) exits.delete(lobbyId);
    },
  };
}

async function writeLobby(db: Db, exits: Exits, namespaceId: string, lobby: LobbyView): Promise<void> {
  await insertPastLobby(db, toPastLobby(namespaceId, lobby));
  await exits.write(lobby.lobbyId);
}

/** Writes the stopped lobbies of a namespace that the engine still keeps; those already in the store stay unchanged. */
async function writeStopped(
  { engine, db, now, isOurs, picked }: RecordParts,
  exits: Exits,
  namespaceId: string,
): Promise<void> {
  for await (const lobby of pickLobbies(engine, namespaceId, now, { ...picked(), status: "stopped" })) {
    if (isOurs(lobby)) await writeLobby(db, exits, namespaceId, lobby);
  }
}

function toPastLobby(namespaceId: string, lobby: LobbyView) {
  const exit = readLobbyEnd(lobby);
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
    exitMessage: describeStop(lobby),
  };
}
