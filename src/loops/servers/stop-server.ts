import type { LobbyView } from "../../matchmaker/commands.ts";
import { describeStop } from "../../operations/live/stop-message.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";

/** `unexplained`: the lobby, if it has no `exit` yet. */
export type StopServer = (lobbyId: string, unexplained?: LobbyView | null) => void;

/** Asks servers to stop without waiting for them, and notes how they ended. */
export function createStopServer({ runtime, log, noteExit }: SuperviseParts, own: OwnServers): StopServer {
  async function stop(lobbyId: string, unexplained: LobbyView | null): Promise<void> {
    try {
      const exit = (await runtime.stop(lobbyId)) ?? runtime.exitOf(lobbyId);
      if (!exit || !unexplained || (exit.code === null && exit.signal === null)) return;
      await noteExit(lobbyId, { ...exit, message: describeStop(unexplained) });
    } catch (error) {
      log.error({ err: error, lobby_id: lobbyId }, "a lobby's server could not be stopped");
    }
  }

  return (lobbyId, unexplained = null) => {
    own.namespaceIds.delete(lobbyId);
    own.stopping.add(stop(lobbyId, unexplained));
  };
}
