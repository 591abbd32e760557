import { EngineUnavailable } from "../../ground/unavailable.ts";
import type { Answer, Find, LobbyView } from "../../matchmaker/commands.ts";
import type { Context } from "../context.ts";
import type { NamespaceConfig } from "../namespace-configs.ts";
import { isRefusal, type Refusal } from "../refusal.ts";

const attemptsMax = 10;

/**
 * Asks what a find would do. When the configuration turns out stale it is built and asked again, as for a real one.
 * What `build` returns that is no find is returned as it is; null: there is no such namespace.
 */
export async function previewFind<R extends Refusal>(
  { configs, engine }: Context,
  namespaceId: string,
  build: (config: NamespaceConfig) => Find | R,
): Promise<Answer<"previewFind"> | R | null> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const config = await configs.get(namespaceId);
    if (!config) return null;
    const plan = build(config);
    if (isRefusal(plan)) return plan;
    const { idempotency: _, ...request } = plan;
    const preview = await engine.read({ ...request, type: "previewFind" });
    if (preview.ok || preview.code !== "STALE_REVISION") return preview;
    await configs.renew(namespaceId, attempt);
  }
  throw new EngineUnavailable("The namespace's configuration changes faster than it can be read.");
}

/** The lobby that would be chosen, as far as somebody without a seat in it needs to know. */
export async function previewedLobby({ configs }: Context, namespaceId: string, lobby: LobbyView | null) {
  if (lobby === null) return null;
  const config = await configs.get(namespaceId);
  const displayName = config?.version?.config.regions[lobby.region]?.display_name ?? lobby.region;
  return { lobby_id: lobby.lobbyId, region: { region_id: lobby.region, display_name: displayName } };
}
