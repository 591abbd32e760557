import type { LobbyView } from "../../matchmaker/commands.ts";
import { constants } from "../../matchmaker/schema.ts";
import type { WarningParts } from "./parts.ts";

/** More lobbies than this are never silent at the same time without a cause that the first warnings show. */
const rememberedMax = 10_000;

/** Warns once about each lobby that stops sending heartbeats. */
export function createSilenceWarnings({ log, ownLobbies, hasLease }: WarningParts) {
  const warned = new Set<string>();

  return (namespaceId: string, lobby: LobbyView): void => {
    const { lobbyId, gameMode, heartbeatMs } = lobby;
    if (lobby.status === "stopped") warned.delete(lobbyId);
    if (!lobby.isSilent || lobby.status === "stopped" || warned.has(lobbyId)) return;
    if (!(lobby.isExternal ? hasLease() : ownLobbies.isOwn(lobby))) return;
    if (warned.size >= rememberedMax) warned.clear();
    warned.add(lobbyId);
    const heartbeatS = heartbeatMs / 1000;
    log.warn(
      { lobby_id: lobbyId, namespace_id: namespaceId, game_mode_id: gameMode, heartbeat_s: heartbeatS },
      `a lobby has sent no heartbeat for ${heartbeatS} s: find sends it no players until the next one, and Foyer stops it ` +
        `after ${constants.silentPeriodsMax * heartbeatS} s more; check that its server runs and calls POST /matchmaker/lobbies/heartbeat more often than timeouts.heartbeat_s of its game mode, or set that to 0`,
    );
  };
}
