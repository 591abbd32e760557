import type { Event, LobbyView } from "../../matchmaker/commands.ts";
import type { OwnLobbies } from "./own-lobbies.ts";

/** The lobby servers of this node, and the unfinished work on them. */
export interface OwnServers {
  /** The namespaces of the lobbies whose servers run here or are about to. */
  readonly namespaceIds: Map<string, string>;
  /** Starts and ends of lobbies. They are recorded before the service ends. */
  readonly recording: Tasks;
  /** Servers that were asked to stop, which can take a while. */
  readonly stopping: Tasks;
  /** All lobbies are being stopped, so no server is started. */
  isStoppingAll: boolean;
  /** The supervisor no longer follows events. */
  isClosed: boolean;
  isOwn(lobby: LobbyView): boolean;
  /** Whether this node runs the lobby and has not begun to start it. */
  isWaiting(lobby: LobbyView): boolean;
  /** Another node took over the lobby, because this one was unreachable for a while. */
  isTakenOver(type: Event["type"], lobby: LobbyView): boolean;
}

/** Promises that have not settled yet. None of them rejects. */
interface Tasks {
  add(task: Promise<void>): void;
  settled(): Promise<void>;
}

export function createOwnServers({ isOwn }: OwnLobbies): OwnServers {
  const namespaceIds = new Map<string, string>();

  return {
    namespaceIds,
    recording: createTasks(),
    stopping: createTasks(),
    isStoppingAll: false,
    isClosed: false,
    isOwn,
    isWaiting(lobby) {
      return isOwn(lobby) && lobby.status === "starting" && lobby.ports === null && !namespaceIds.has(lobby.lobbyId);
    },
    isTakenOver(type, lobby) {
      return type === "lobby.changed" && lobby.nodeId !== null && !isOwn(lobby) && namespaceIds.has(lobby.lobbyId);
    },
  };
}

function createTasks(): Tasks {
  const running = new Set<Promise<void>>();
  return {
    add(task) {
      running.add(task);
      void task.finally(() => running.delete(task));
    },
    async settled() {
      await Promise.all([...running]);
    },
  };
}
