import type { CallerOf } from "../callers.ts";
import type { Context } from "../context.ts";
import type { Mocks } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { checkKey } from "./idempotency.ts";
import { checkJoinTarget, readCode } from "./join-codes.ts";
import { checkFindRequest, checkLobbyConfig, checkSeats, checkTags, countSeats } from "./lobby-requests.ts";
import { checkMock, mockCode } from "./mock-checks.ts";
import { listedRegion, listMocks, watchMocks } from "./mock-list.ts";
import { mockLobbyId, mockRegion, seatMock } from "./mock-seats.ts";
import { readPlayerToken } from "./resume.ts";

/**
 * What development tokens are answered: always the same, pointing at the developer's own machine. Requests are checked
 * as everywhere, so that the mock teaches the real contract; nothing is ever written.
 */
export function mockOperations(context: Context): Mocks {
  const nothing = async () => null;
  const newPlayers = (body: Parameters<typeof countSeats>[0]) =>
    Array.from({ length: countSeats(body) }, () => context.newId());
  return {
    "lobbies.find": async ({ caller, body, idempotencyKey }) =>
      checkKey(idempotencyKey) ??
      checkFindRequest(body) ??
      checkSeats(body) ??
      (await checkMock(context, caller, { modes: body.game_modes, regions: body.regions ?? [], body })) ?? {
        ...(body.dry_run
          ? { lobby: { lobby_id: mockLobbyId, region: mockRegion }, would_create: false }
          : seatMock(context, caller, newPlayers(body), await mockCode(context, caller, body.game_modes[0]!))),
        ...(body.explain && { explain: explainMock(body.game_modes[0]!) }),
      },
    "lobbies.join": async ({ caller, body, idempotencyKey }) =>
      checkJoinTarget(body) ??
      checkKey(idempotencyKey) ??
      checkSeats(body) ??
      seatMock(context, caller, newPlayers(body), readCode(body)),
    "lobbies.create": async ({ caller, body, idempotencyKey }) =>
      checkKey(idempotencyKey) ??
      checkTags(body.tags) ??
      checkLobbyConfig(body.lobby_config) ??
      checkSeats(body) ??
      (await checkMock(context, caller, {
        modes: [body.game_mode],
        regions: body.region ? [body.region] : [],
        body,
      })) ??
      seatMock(context, caller, newPlayers(body), await mockCode(context, caller, body.game_mode)),
    "lobbies.list": ({ caller, query }) => listMocks(context, caller, query),
    "lobbies.watch": ({ caller, client, query }) => watchMocks(context, caller, client, query),
    "lobbies.ready": nothing,
    "lobbies.setClosed": nothing,
    "lobbies.setState": nothing,
    "lobbies.getState": nothing,
    "lobbies.heartbeat": async ({ body }) => ({
      player_ids: body?.player_ids ?? [],
      players: (body?.player_ids ?? []).map((id) => ({ player_id: id, is_held: false })),
      is_closed: body?.is_closed ?? false,
      is_closed_by_operator: false,
      is_outdated: false,
      heartbeat_s: 0,
      reconnect_s: 0,
    }),
    "lobbies.stop": nothing,
    "players.connected": async ({ caller, body }) => {
      const player = findMockPlayer(context, caller, body.player_token);
      return isRefusal(player) ? player : { player_id: player.playerId, returned: false };
    },
    "players.disconnected": async ({ caller, body }) => {
      const player = findMockPlayer(context, caller, body.player_token);
      return isRefusal(player) ? player : null;
    },
    "players.resume": async ({ caller, body }) => {
      const player = findOwnMockPlayer(context, caller, body);
      return isRefusal(player) ? player : seatMock(context, caller, [player.playerId]);
    },
    "players.release": async ({ caller, body }) => {
      const player = findOwnMockPlayer(context, caller, body);
      return isRefusal(player) ? player : null;
    },
    "players.getStatistics": async () => ({ player_count: 0, game_modes: {} }),
    "regions.list": async () => ({ regions: [listedRegion] }),
  };
}

function findOwnMockPlayer(context: Context, caller: CallerOf<"dev">, body: Parameters<typeof readPlayerToken>[0]) {
  const token = readPlayerToken(body);
  return isRefusal(token) ? token : findMockPlayer(context, caller, token);
}

function findMockPlayer({ tokens }: Context, caller: CallerOf<"dev">, playerToken: string) {
  const player = tokens.read(playerToken);
  if (player?.kind === "devplayer" && player.namespaceId === caller.namespaceId) return player;
  const message = "Not a development player token of this namespace: pass one that find, join or create answered.";
  return refuse("MATCHMAKER_PLAYER_NOT_FOUND", message);
}

function explainMock(gameMode: string) {
  const message = "Chosen: with a development token every find leads to the server that the token names.";
  const place = { game_mode_id: gameMode, region_id: mockRegion.region_id };
  const candidates = [{ lobby_id: mockLobbyId, ...place, codes: ["chosen"], message }];
  return { summary: "A mock answer: no lobby was looked for.", candidates, has_more: false, private_count: 0 };
}
