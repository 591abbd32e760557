import type { LobbyView } from "../../matchmaker/commands.ts";
import type { WarningParts } from "./parts.ts";

/** When a lobby of this node has called ready, tries its TCP ports once and warns about those where nothing listens. */
export function createPortCheck({ runtime, log, ownLobbies }: WarningParts) {
  /** A fast server is ready before its ports are known. */
  const waiting = new Set<string>();

  async function tryPorts(namespaceId: string, { lobbyId, gameMode }: LobbyView): Promise<void> {
    for (const { label, port } of await runtime.unansweredPorts(lobbyId)) {
      const variable = `PORT_${label.toUpperCase().replaceAll("-", "_")}`;
      log.warn(
        { lobby_id: lobbyId, namespace_id: namespaceId, game_mode_id: gameMode, label, port },
        `a lobby has called ready, but nothing listens on its port: its server must listen on ${variable}, on all ` +
          "addresses or the one of HOST, before it calls ready",
      );
    }
  }

  return (type: string, namespaceId: string, lobby: LobbyView): void => {
    const { lobbyId } = lobby;
    if (lobby.isExternal || !ownLobbies.isOwn(lobby)) return;
    if (type === "lobby.ready") waiting.add(lobbyId);
    if (lobby.status === "stopped") waiting.delete(lobbyId);
    if (lobby.ports === null || !waiting.delete(lobbyId)) return;
    tryPorts(namespaceId, lobby).catch((error: unknown) =>
      log.error({ err: error, lobby_id: lobbyId }, "the ports of a lobby could not be tried"),
    );
  };
}
