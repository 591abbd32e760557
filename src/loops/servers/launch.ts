import { isUnavailable } from "../../ground/unavailable.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { LobbyNotStarted } from "../../runtime/runtime.ts";
import type { Failures } from "./failures.ts";
import type { LobbyEnds } from "./lobby-ends.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";
import { pauseAfter } from "./pause-after.ts";
import type { StopServer } from "./stop-server.ts";

export type Launch = (namespaceId: string, lobby: LobbyView) => Promise<void>;

/** Starts the server of a lobby and records its ports; ends the lobby if the server cannot be started. */
export function createLaunch(
  parts: SuperviseParts,
  own: OwnServers,
  { ends, failures, stopServer }: { ends: LobbyEnds; failures: Failures; stopServer: StopServer },
): Launch {
  const { engine, runtime, gate, log, now } = parts;

  const isEnding = () => own.isClosed || own.isStoppingAll;

  async function startServer(namespaceId: string, lobby: LobbyView): Promise<void> {
    const { lobbyId } = lobby;
    const description = await whenReachable(() => parts.describe(namespaceId, lobby));
    // The store was unavailable for so long that the lobby has ended.
    if (!own.namespaceIds.has(lobbyId) || own.isStoppingAll) return;
    if (!description) throw new LobbyNotStarted("Its version was deleted.");
    const started = runtime.start(description);
    parts.counted(lobbyId);
    const ports = parts.portsText(await started);
    const command = { type: "setPorts", namespaceId, lobbyId, ports, nodeId: parts.ownLobbies.nodeId } as const;
    const outcome = await whenReachable(() => engine.execute({ ...command, now: now() }));
    // The lobby ended or was moved while its server was starting, so no event will stop the server.
    if (!outcome.ok) stopServer(lobbyId);
  }

  /** An unavailable store says nothing about the lobby's version. */
  async function whenReachable<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await task();
      } catch (error) {
        if (!isUnavailable(error) || isEnding()) throw error;
        await pauseAfter(error, isEnding);
      }
    }
  }

  async function giveUp(namespaceId: string, lobby: LobbyView, error: unknown): Promise<void> {
    // The service is stopping and its store is unavailable; the next start launches the lobby.
    if (isUnavailable(error) && isEnding()) return;
    const { lobbyId } = lobby;
    // What kept it from starting is said in a sentence; where in Foyer that was noticed helps no operator.
    const why = error instanceof LobbyNotStarted ? describeCause(error) : { err: error };
    log.error({ ...why, lobby_id: lobbyId, namespace_id: namespaceId }, "a lobby could not be started");
    const message = error instanceof LobbyNotStarted ? error.message : "It could not be started.";
    const isNoFault = error instanceof LobbyNotStarted && error.isShortage;
    if (isNoFault) gate.ended(lobby);
    else failures.note(lobby, message);
    await ends.endUnstarted(namespaceId, lobbyId, message, isNoFault);
  }

  return async (namespaceId, lobby) => {
    const { lobbyId, versionId, gameMode } = lobby;
    own.namespaceIds.set(lobbyId, namespaceId);
    const held = gate.enter(versionId, gameMode, lobbyId, now());
    if (held) {
      parts.counted(lobbyId);
      return ends.endUnstarted(namespaceId, lobbyId, held.message, true);
    }
    try {
      await startServer(namespaceId, lobby);
    } catch (error) {
      await giveUp(namespaceId, lobby, error);
    } finally {
      parts.counted(lobbyId);
    }
  };
}

function describeCause({ message, cause }: LobbyNotStarted): { reason: string; cause?: string } {
  return { reason: message, ...(cause instanceof Error && { cause: cause.message }) };
}
