import type { LobbyView } from "../../matchmaker/commands.ts";
import type { ShowPorts } from "../matchmaking/ports.ts";
import type { NamespaceConfigs } from "../namespace-configs.ts";

/** What the operator's view of a lobby needs besides the lobby. */
export interface ShowLobby {
  readonly ports: ShowPorts;
  /** What runs the lobby. Its version says so: call `learn` before. */
  runtimeOf(lobby: Described): "process" | "docker" | "external";
  /** Reads which game modes of the lobbies' versions run in containers, unless that is known. */
  learn(namespaceId: string, lobbies: readonly Described[]): Promise<void>;
}

type Described = Pick<LobbyView, "versionId" | "gameMode" | "isExternal">;

const versionsMax = 1_000;
/** While the store is unavailable, lobbies of versions that this node has not seen are shown as processes. */
const retryMs = 10_000;

export function createShowLobby(
  ports: ShowPorts,
  configs: Pick<NamespaceConfigs, "identity" | "version">,
  now: () => number,
): ShowLobby {
  /** The game modes in containers, by version. Versions never change. */
  const known = new Map<string, ReadonlySet<string>>();
  let failedAt = Number.NEGATIVE_INFINITY;

  async function read(namespaceId: string, versionId: string): Promise<void> {
    const namespace = await configs.identity(namespaceId);
    const version = namespace && (await configs.version(namespace.gameId, versionId));
    const modes = Object.entries(version?.config.game_modes ?? {});
    if (known.size >= versionsMax) known.clear();
    known.set(versionId, new Set(modes.flatMap(([name, { runtime }]) => ("docker" in runtime ? [name] : []))));
  }

  return {
    ports,
    runtimeOf({ isExternal, versionId, gameMode }) {
      if (isExternal) return "external";
      return known.get(versionId)?.has(gameMode) ? "docker" : "process";
    },
    async learn(namespaceId, lobbies) {
      for (const { isExternal, versionId } of lobbies) {
        if (isExternal || known.has(versionId) || now() - failedAt < retryMs) continue;
        await read(namespaceId, versionId).catch(() => {
          failedAt = now();
        });
      }
    },
  };
}
