import { type Arena, config, createArena, type LobbyAtHand, type Matchmaker } from "./arena.ts";
import { until } from "./harness.ts";

/** For suites about lobbies that Foyer starts: arenas of game modes with the process runtime, and their servers. */
export function startedLobbies(at: () => Matchmaker) {
  async function arenaWith(mode: Record<string, unknown> = {}, modes: Record<string, unknown> = {}) {
    const { runtime, service } = at();
    runtime.whileStarting = async () => {};
    runtime.onceStarted = () => {};
    return createArena(service, config(mode, modes));
  }

  const startsIn = (arena: Arena) =>
    at().runtime.starts.filter(({ namespaceId }) => namespaceId === arena.namespace.namespaceId);

  /** The server of a lobby, once it was started. */
  async function started(arena: Arena, index = 0): Promise<LobbyAtHand> {
    await until(() => startsIn(arena).length > index);
    const { lobbyId, env } = startsIn(arena)[index]!;
    return arena.lobby(lobbyId, env.FOYER_TOKEN!);
  }

  /** From now on every server says ready as soon as it runs. */
  function readyAtOnce(arena: Arena): void {
    at().runtime.onceStarted = ({ lobbyId, env }) => arena.lobby(lobbyId, env.FOYER_TOKEN!).ready();
  }

  return { arenaWith, startsIn, started, readyAtOnce };
}
