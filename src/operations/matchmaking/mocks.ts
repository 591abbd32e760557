import type { ResolvedGameMode } from "../../contract/version-config.ts";
import { pageSizeDefault } from "../../ground/limits.ts";
import type { ListCursor } from "../../matchmaker/commands.ts";
import { findNamespaceById } from "../../store/namespaces.ts";
import { findVersion } from "../../store/versions.ts";
import type { CallerOf, DevelopmentPort } from "../callers.ts";
import { resolveVersionConfig } from "../cloud/version-document.ts";
import type { VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Mocks } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { checkKey } from "./idempotency.ts";
import { readListCursor, writeListCursor } from "./lobby-list.ts";
import { checkFindRequest, checkLobbyConfig, checkTags } from "./lobby-requests.ts";
import { findGameMode, regionNotFound } from "./new-lobby.ts";
import { hostOf } from "./ports.ts";
import { countSeats } from "./seat-request.ts";

const nilUuid = "00000000-0000-0000-0000-000000000000";
const region = { region_id: "dev-local", display_name: "Local" };
const tlsProtocols: ReadonlySet<string> = new Set(["https", "wss", "tls"]);

const listedRegion = {
  region_id: region.region_id,
  provider_display_name: "",
  region_display_name: region.display_name,
  datacenter_coord: { latitude: 0, longitude: 0 },
  datacenter_distance_from_client: { kilometers: 0, miles: 0 },
};

type DevelopmentCaller = CallerOf<"dev">;

/**
 * What development tokens are answered: always the same, pointing at the developer's own machine. Requests are checked
 * as everywhere, so that the mock teaches the real contract; nothing is ever written.
 */
export function mockOperations(context: Context): Mocks {
  const nothing = async () => null;

  function seat(caller: DevelopmentCaller, seats: number) {
    const players = Array.from({ length: seats }, () => {
      const playerId = context.newId();
      const token = context.tokens.make({ kind: "devplayer", namespaceId: caller.namespaceId, playerId });
      return { player_id: playerId, token };
    });
    const entries = Object.entries(caller.server.ports);
    const ports = Object.fromEntries(entries.map(([label, port]) => [label, portAnswer(caller.server.hostname, port)]));
    const player = { token: players[0]!.token };
    return { lobby: { lobby_id: nilUuid, region, ports, player }, ports, player, players };
  }

  function playerOf(caller: DevelopmentCaller, playerToken: string) {
    const player = context.tokens.read(playerToken);
    if (player?.kind === "devplayer" && player.namespaceId === caller.namespaceId) return player;
    const message = "Not a development player token of this namespace: pass one that find, join or create answered.";
    return refuse("MATCHMAKER_PLAYER_NOT_FOUND", message);
  }

  async function deployedVersion(caller: DevelopmentCaller): Promise<VersionInUse | null> {
    const namespace = await findNamespaceById(context.db, caller.namespaceId);
    const version = namespace?.versionId && (await findVersion(context.db, caller.gameId, namespace.versionId));
    return version ? { versionId: version.versionId, config: resolveVersionConfig(JSON.parse(version.config)) } : null;
  }

  return {
    "lobbies.find": async ({ caller, body, idempotencyKey }) =>
      checkKey(idempotencyKey) ??
      checkFindRequest(body) ?? {
        ...(body.dry_run
          ? { lobby: { lobby_id: nilUuid, region }, would_create: false }
          : seat(caller, countSeats(body))),
        ...(body.explain && { explain: explainMock(body.game_modes[0]!) }),
      },
    "lobbies.join": async ({ caller, body, idempotencyKey }) =>
      checkKey(idempotencyKey) ?? seat(caller, countSeats(body)),
    "lobbies.create": async ({ caller, body, idempotencyKey }) =>
      checkKey(idempotencyKey) ??
      checkTags(body.tags) ??
      checkLobbyConfig(body.lobby_config) ??
      seat(caller, countSeats(body)),
    "lobbies.list": async ({ caller, query }) => {
      const after = query.cursor === undefined ? null : readListCursor(query.cursor);
      if (isRefusal(after)) return after;
      const version = await deployedVersion(caller);
      if (!version) return { game_modes: [], regions: [listedRegion], lobbies: [] };
      const { game_modes, regions } = version.config;
      const asked = query.game_mode === undefined ? null : findGameMode(version, query.game_mode);
      if (isRefusal(asked)) return asked;
      const isHere = query.region === undefined || query.region === region.region_id;
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
          cursor: writeListCursor({ gameMode: shown.at(-1)!, region: region.region_id, lobbyId: nilUuid }),
        }),
      };
    },
    "lobbies.ready": nothing,
    "lobbies.setClosed": nothing,
    "lobbies.setState": nothing,
    "lobbies.getState": nothing,
    "lobbies.heartbeat": async ({ body }) => ({
      player_ids: body?.player_ids ?? [],
      is_closed: body?.is_closed ?? false,
      is_closed_by_operator: false,
      is_outdated: false,
    }),
    "lobbies.stop": nothing,
    "players.connected": async ({ caller, body }) => {
      const player = playerOf(caller, body.player_token);
      return isRefusal(player) ? player : { player_id: player.playerId };
    },
    "players.disconnected": async ({ caller, body }) => {
      const player = playerOf(caller, body.player_token);
      return isRefusal(player) ? player : null;
    },
    "players.getStatistics": async () => ({ player_count: 0, game_modes: {} }),
    "regions.list": async () => ({ regions: [listedRegion] }),
  };
}

function listedLobby(name: string, mode: ResolvedGameMode, withState: boolean) {
  return {
    lobby_id: nilUuid,
    game_mode_id: name,
    region_id: region.region_id,
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
  return name > after.gameMode || (name === after.gameMode && region.region_id > after.region);
}

function explainMock(gameMode: string) {
  const message = "Chosen: with a development token every find leads to the server that the token names.";
  const place = { game_mode_id: gameMode, region_id: region.region_id };
  const candidates = [{ lobby_id: nilUuid, ...place, codes: ["chosen"], message }];
  return { summary: "A mock answer: no lobby was looked for.", candidates, has_more: false, private_count: 0 };
}

function portAnswer(hostname: string, { protocol, port, portRange }: DevelopmentPort) {
  return {
    hostname,
    ...(port !== null && { host: hostOf(hostname, port), port }),
    ...(portRange !== null && { port_range: { min: portRange.min, max: portRange.max } }),
    is_tls: tlsProtocols.has(protocol),
  };
}
