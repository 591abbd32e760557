import { setTimeout as sleep } from "node:timers/promises";
import type { LobbyView } from "../../matchmaker/commands.ts";
import type { UnansweredPort } from "../../runtime/runtime.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";
import { pauseAfter } from "./pause-after.ts";

/** Looks at a lobby: one that has called ready too early becomes ready when its ports accept connections (docs/decisions/0025). */
export type WaitForPorts = (namespaceId: string, lobby: LobbyView) => void;

const tryEveryMs = 250;
/** Of the ports that a lobby waits for. */
const namedMax = 4;

export function createWaitForPorts({ engine, runtime, log, now }: SuperviseParts, own: OwnServers): WaitForPorts {
  const waiting = new Set<string>();

  const isOver = () => own.isClosed || own.isStoppingAll;
  const isWaiting = (lobby: LobbyView | null): lobby is LobbyView =>
    lobby?.status === "starting" && lobby.waitsFor !== null && lobby.ports !== null && own.isOwn(lobby);

  /** Whether the lobby no longer waits. The warning is written once: the first time that ports do not answer. */
  async function look(namespaceId: string, lobbyId: string, isFirst: boolean): Promise<boolean> {
    const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
    if (!isWaiting(lobby)) return true;
    const unanswered = await runtime.unansweredPorts(lobbyId);
    if (unanswered === null) return false;
    if (isFirst) for (const port of unanswered) warn(namespaceId, lobby, port);
    const waits = unanswered.length > 0 && { waitsFor: unanswered.slice(0, namedMax).map(namePort).join(", ") };
    if (waits && waits.waitsFor === lobby.waitsFor) return false;
    const by = lobby.nodeId !== null && { nodeId: lobby.nodeId };
    // Refused when the lobby has been moved meanwhile: the next look notices.
    const { ok } = await engine.execute({ type: "setReady", namespaceId, lobbyId, now: now(), ...by, ...waits });
    return ok && !waits;
  }

  async function wait(namespaceId: string, lobbyId: string): Promise<void> {
    for (let isFirst = true; !isOver(); isFirst = false) {
      try {
        if (await look(namespaceId, lobbyId, isFirst)) return;
        await sleep(tryEveryMs);
      } catch (error) {
        log.debug({ err: error, lobby_id: lobbyId }, "the ports of a lobby could not be tried");
        await pauseAfter(error, isOver);
      }
    }
  }

  function warn(namespaceId: string, { lobbyId, gameMode }: LobbyView, { label, port }: UnansweredPort): void {
    log.warn(
      { lobby_id: lobbyId, namespace_id: namespaceId, game_mode_id: gameMode, label, port },
      "a lobby has called ready, but nothing listens on its port, so players wait: its server must listen on " +
        `${variableOf(label)}, on all addresses or the one of HOST, or the version say that the port is lazy`,
    );
  }

  return (namespaceId, lobby) => {
    const { lobbyId } = lobby;
    if (!isWaiting(lobby) || waiting.has(lobbyId)) return;
    waiting.add(lobbyId);
    own.recording.add(wait(namespaceId, lobbyId).finally(() => waiting.delete(lobbyId)));
  };
}

const namePort = ({ label, port }: UnansweredPort) => `${variableOf(label)} (${port})`;

const variableOf = (label: string) => `PORT_${label.toUpperCase().replaceAll("-", "_")}`;
