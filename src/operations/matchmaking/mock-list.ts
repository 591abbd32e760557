import type { ResolvedGameMode } from "../../contract/version-config.ts";
import { gameModesMax, pageSizeDefault } from "../../ground/limits.ts";
import type { ListCursor } from "../../matchmaker/commands.ts";
import { findNamespaceById } from "../../store/namespaces.ts";
import { findVersion } from "../../store/versions.ts";
import type { CallerOf, Client } from "../callers.ts";
import { resolveVersionConfig } from "../cloud/version-document.ts";
import type { VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Mocks } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";
import { createBoard } from "../watch/board.ts";
import { openInSlot } from "../watch/watch.ts";
import { readListCursor, writeListCursor } from "./lobby-list.ts";
import { mockLobbyId, mockRegion } from "./mock-seats.ts";
import { findGameMode, regionNotFound } from "./new-lobby.ts";

type ListQuery = Parameters<Mocks["lobbies.list"]>[0]["query"];

export const listedRegion = {
  region_id: mockRegion.region_id,
  provider_display_name: "",
  region_display_name: mockRegion.display_name,
  datacenter_coord: { latitude: 0, longitude: 0 },
  datacenter_distance_from_client: { kilometers: 0, miles: 0 },
};

/** One lobby for each game mode of the deployed version. */
export async function listMocks(context: Context, caller: CallerOf<"dev">, query: ListQuery) {
  const after = query.cursor === undefined ? null : readListCursor(query.cursor);
  if (isRefusal(after)) return after;
  const version = await readDeployed(context, caller);
  if (!version) return { game_modes: [], regions: [listedRegion], lobbies: [] };
  const { game_modes, regions } = version.config;
  const asked = query.game_mode === undefined ? null : findGameMode(version, query.game_mode);
  if (isRefusal(asked)) return asked;
  const isHere = query.region === undefined || query.region === mockRegion.region_id;
  if (!isHere && !Object.hasOwn(regions, query.region!)) {
    return regionNotFound(Object.keys(game_modes), [query.region!]);
  }

  // The deployed version's own regions are known and have no lobby: all are on the developer's machine.
  const names = (isHere ? Object.keys(game_modes).sort() : [])
    .filter((name) => asked === null || name === query.game_mode)
    .filter((name) => after === null || isListedAfter(name, after));
  const shown = names.slice(0, query.limit ?? pageSizeDefault);
  return {
    game_modes: Object.keys(game_modes).map((name) => ({ game_mode_id: name })),
    regions: [listedRegion],
    lobbies: shown.map((name) => listedLobby(name, game_modes[name]!, query.include_state ?? false)),
    ...(names.length > shown.length && {
      cursor: writeListCursor({ gameMode: shown.at(-1)!, region: mockRegion.region_id, lobbyId: mockLobbyId }),
    }),
  };
}

/** The same list as a stream, to which nothing is ever added. */
export async function watchMocks(
  context: Context,
  caller: CallerOf<"dev">,
  client: Client,
  query: Pick<ListQuery, "game_mode" | "region">,
) {
  const listed = await listMocks(context, caller, { ...query, limit: gameModesMax });
  if (isRefusal(listed)) return listed;
  const reader = await openInSlot(context, caller.namespaceId, client, async () => {
    const board = createBoard();
    // All have the same id, so only their game modes distinguish them.
    const lobbies = new Map(listed.lobbies.map((lobby) => [lobby.game_mode_id, JSON.stringify(lobby)]));
    board.show({ lobbies, isTruncated: false });
    return board.read(() => {});
  });
  return isRefusal(reader) ? reader : { reader, isOver: async () => false };
}

export async function readDeployed(
  { db }: Context,
  { namespaceId, gameId }: CallerOf<"dev">,
): Promise<VersionInUse | null> {
  const namespace = await findNamespaceById(db, namespaceId);
  const version = namespace?.versionId && (await findVersion(db, gameId, namespace.versionId));
  return version ? { ...version, config: resolveVersionConfig(JSON.parse(version.config), version.defaults) } : null;
}

function listedLobby(name: string, mode: ResolvedGameMode, withState: boolean) {
  return {
    lobby_id: mockLobbyId,
    game_mode_id: name,
    region_id: mockRegion.region_id,
    max_players_normal: mode.max_players,
    max_players_direct: mode.max_players_direct,
    max_players_party: mode.max_players,
    total_player_count: 0,
    is_closed: false,
    tags: {},
    ...(withState && { state: null }),
  };
}

/** No id comes before the nil UUID, so the cursor's own id need not be compared. */
function isListedAfter(name: string, after: ListCursor): boolean {
  return name > after.gameMode || (name === after.gameMode && mockRegion.region_id > after.region);
}
