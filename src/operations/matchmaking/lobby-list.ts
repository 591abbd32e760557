import type { ReplyOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import { pageMaxBytes, pageSizeDefault, watchedLobbiesMax } from "../../ground/limits.ts";
import type { ListCursor, LobbyView } from "../../matchmaker/commands.ts";
import { listClosedBy } from "../cloud/closed-by.ts";
import { isName } from "../cloud/names.ts";
import { badCursor, isUuid } from "../cloud/pagination.ts";
import type { NamespaceConfig, VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { replyFromText, withMember } from "../json-text.ts";
import { isRefusal } from "../refusal.ts";
import type { ListedLobbies } from "../watch/board.ts";
import type { ListFilter } from "../watch/refresh.ts";
import { deployedVersion, findGameMode, regionNotFound } from "./new-lobby.ts";
import { regionsAnswer } from "./regions.ts";
import { namespaceGone } from "./seat-reply.ts";

/** The public list of lobbies, for server browsers. */
export function lobbyListOperations(context: Context) {
  return {
    "lobbies.list": async ({ caller, client, query }) => {
      const after = query.cursor === undefined ? null : readListCursor(query.cursor);
      if (isRefusal(after)) return after;
      const config = await context.configs.get(caller.namespaceId);
      if (!config) return namespaceGone();
      const version = checkListFilter(config, query);
      if (isRefusal(version)) return version;
      const { game_modes } = version.config;

      const { lobbies, next } = await context.engine.read({
        type: "listLobbies",
        namespaceId: caller.namespaceId,
        now: context.now(),
        gameModes: listableModes(version, query.game_mode ?? null),
        region: query.region ?? null,
        after,
        limit: query.limit ?? pageSizeDefault,
        ...(query.include_state && { stateBytesMax: pageMaxBytes }),
      });
      const page = {
        game_modes: Object.keys(game_modes).map((name) => ({ game_mode_id: name })),
        regions: regionsAnswer(version.config, client.place),
        ...(next && { cursor: writeListCursor(next) }),
      };
      if (!query.include_state) return { ...page, lobbies: lobbies.map(listedLobby) };
      // States are kept as JSON.
      const entries = lobbies.flatMap((lobby, index) => [
        index === 0 ? "" : ",",
        ...withMember(listedLobby(lobby), "state", [lobby.state ?? "null"]),
      ]);
      return replyFromText<ReplyOf<Operations["lobbies.list"]>>(withMember(page, "lobbies", ["[", ...entries, "]"]));
    },
  } satisfies Partial<Handlers>;
}

/** The deployed version, if it has what the list is asked for. */
export function checkListFilter(
  config: NamespaceConfig,
  query: { readonly game_mode?: string; readonly region?: string },
) {
  const version = deployedVersion(config);
  if (isRefusal(version)) return version;
  const mode = query.game_mode === undefined ? null : findGameMode(version, query.game_mode);
  if (isRefusal(mode)) return mode;
  const { game_modes, regions } = version.config;
  if (query.region !== undefined && !Object.hasOwn(regions, query.region)) {
    return regionNotFound(Object.keys(game_modes), [query.region]);
  }
  return version;
}

/** Null: of all game modes. */
function listableModes({ config: { game_modes } }: VersionInUse, gameMode: string | null): string[] {
  const asked = gameMode === null ? Object.keys(game_modes) : [gameMode];
  return asked.filter((name) => Object.hasOwn(game_modes, name) && game_modes[name]!.listable);
}

/** What watchers of the filter see now: the list without states. Nothing when what they asked for is no longer deployed. */
export async function listForWatchers(
  { db, configs, engine, now }: Pick<Context, "db" | "configs" | "engine" | "now">,
  namespaceId: string,
  { gameMode, region }: ListFilter,
): Promise<ListedLobbies> {
  // What another node has deployed is listed here too.
  await db.invalidation.check();
  const version = (await configs.get(namespaceId))?.version ?? null;
  const gameModes = version === null ? [] : listableModes(version, gameMode);
  if (gameModes.length === 0) return { lobbies: new Map(), isTruncated: false };
  const query = { namespaceId, now: now(), gameModes, region, after: null, limit: watchedLobbiesMax };
  const { lobbies, next } = await engine.read({ type: "listLobbies", ...query });
  const texts = lobbies.map((lobby) => [lobby.lobbyId, JSON.stringify(listedLobby(lobby))] as const);
  return { lobbies: new Map(texts), isTruncated: next !== null };
}

function listedLobby(lobby: LobbyView) {
  return {
    lobby_id: lobby.lobbyId,
    game_mode_id: lobby.gameMode,
    region_id: lobby.region,
    max_players_normal: lobby.maxPlayers,
    max_players_direct: lobby.maxPlayersDirect,
    max_players_party: lobby.maxPlayers,
    total_player_count: lobby.reserved + lobby.connected + lobby.held,
    is_closed: listClosedBy(lobby).length > 0,
    tags: { ...lobby.tags },
  };
}

export function writeListCursor({ gameMode, region, lobbyId }: ListCursor): string {
  return Buffer.from(`${gameMode}/${region}/${lobbyId}`).toString("base64url");
}

export function readListCursor(cursor: string) {
  const [gameMode = "", region = "", lobbyId = ""] = Buffer.from(cursor, "base64url").toString("utf8").split("/");
  return isName(gameMode) && isName(region) && isUuid(lobbyId) ? { gameMode, region, lobbyId } : badCursor();
}
