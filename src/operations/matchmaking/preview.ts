import type { LobbyView } from "../../matchmaker/commands.ts";
import type { Context } from "../context.ts";

/** The lobby that would be chosen, as far as somebody without a seat in it needs to know. */
export async function previewedLobby({ configs }: Context, namespaceId: string, lobby: LobbyView | null) {
  if (lobby === null) return null;
  const config = await configs.get(namespaceId);
  const displayName = config?.version?.config.regions[lobby.region]?.display_name ?? lobby.region;
  return { lobby_id: lobby.lobbyId, region: { region_id: lobby.region, display_name: displayName } };
}
