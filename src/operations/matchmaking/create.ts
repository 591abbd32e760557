import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { ResolvedGameMode } from "../../contract/version-config.ts";
import type { CreateLobby } from "../../matchmaker/commands.ts";
import { createStartPermit, type StartPermit } from "../capacity/start-permit.ts";
import type { NamespaceConfig } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { noteCalls } from "../insight/note-calls.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { tooLarge } from "./find-summary.ts";
import { drawCodes } from "./join-codes.ts";
import { checkLobbyConfig, checkTags } from "./lobby-requests.ts";
import {
  checkVersion,
  checkWishes,
  deployedVersion,
  findGameMode,
  isStartable,
  listPairs,
  newLobby,
  readWishes,
  regionNotFound,
} from "./new-lobby.ts";
import { newLobbyRefusals, refuseSeats, replySeated } from "./seat-reply.ts";
import { checkKeys, newSeats, readSeatRequest, type SeatRequest } from "./seat-request.ts";
import { takeSeats } from "./take-seats.ts";

type CreateBody = Parameters<Handlers["lobbies.create"]>[0]["body"];
type CreateRefusal = Refusal<ErrorOf<Operations["lobbies.create"]>>;

export function createOperations(context: Context) {
  const note = noteCalls(context, "create");
  return {
    "lobbies.create": async (request) => {
      const { body } = request;
      const startedAt = context.now();
      const invalid = checkTags(body.tags) ?? checkLobbyConfig(body.lobby_config);
      if (invalid) return note(request, startedAt, invalid);
      const asked = readSeatRequest("create", request);
      if (isRefusal(asked)) return note(request, startedAt, asked);
      // The budget of lobbies that a client may cause is that of its finds.
      const permit = createStartPermit(context, { namespaceId: asked.namespaceId, client: null });
      const NO_AVAILABLE_LOBBIES = `No lobby is created: ${tooLarge(asked.seats)}.`;
      const seated = await takeSeats<"createLobby", CreateRefusal>(context, asked, {
        type: "createLobby",
        permit,
        plan: (config, longerBy) => planCreate(context, config, asked, body, permit, longerBy),
        refuse(refused) {
          const blockedBy = permit.blockedBy();
          if (refused.code === blockedBy?.code) return blockedBy.refusal;
          return refuseSeats(refused, newLobbyRefusals, { NO_AVAILABLE_LOBBIES });
        },
      });
      if (isRefusal(seated)) return note(request, startedAt, seated);
      return note(request, startedAt, await replySeated(context, asked, seated), seated);
    },
  } satisfies Partial<Handlers>;
}

/** The steps from a body to a command; the first that refuses ends them. */
function planCreate(
  context: Context,
  config: NamespaceConfig,
  asked: SeatRequest,
  body: CreateBody,
  permit: StartPermit,
  longerBy: number,
): CreateLobby | CreateRefusal {
  const version = deployedVersion(config);
  if (isRefusal(version)) return version;
  const wrongVersion = checkVersion(version, body.version);
  if (wrongVersion) return wrongVersion;
  const mode = findGameMode(version, body.game_mode);
  if (isRefusal(mode)) return mode;
  const isPlayer = asked.client !== null;
  const publicity = choosePublicity(mode, body, isPlayer);
  if (isRefusal(publicity)) return publicity;
  const wishes = readWishes(body);
  const refusal = checkWishes(body.game_mode, mode, wishes, isPlayer);
  if (refusal) return refusal;
  const regions = body.region === undefined || body.region === null ? [] : [body.region];
  const [pair] = listPairs(version, [[body.game_mode, mode]], regions, asked.client?.place ?? null);
  if (!pair) return regionNotFound([body.game_mode], regions);
  const notVouched = checkKeys(body.game_mode, mode, asked);
  if (notVouched) return notVouched;
  const lobbyId = context.newId();
  permit.ask(version.versionId, [pair], lobbyId);
  const startRefusal = permit.blockedBy()?.code;

  const { lobby_config } = body;
  const lobbyConfig = lobby_config === undefined || lobby_config === null ? null : JSON.stringify(lobby_config);
  const codes = drawCodes(context, version, pair, longerBy);
  const lobby = newLobby(lobbyId, version, pair, wishes, { isPrivate: publicity === "private", lobbyConfig, codes });
  return {
    type: "createLobby",
    reason: "created",
    namespaceId: config.namespaceId,
    now: context.now(),
    revision: config.revision,
    lobby,
    clientId: asked.client?.id ?? null,
    ...newSeats(context, asked),
    idempotency: asked.idempotency,
    ...(startRefusal && { startRefusal }),
  };
}

function choosePublicity(mode: ResolvedGameMode, { game_mode, publicity }: CreateBody, isPlayer: boolean) {
  const create = isPlayer ? mode.actions.create : unbound;
  if (!create.enabled || !isStartable(mode)) {
    const message = `The game mode ${game_mode} does not allow players to create lobbies.`;
    return refuse("MATCHMAKER_CREATE_DISABLED", message);
  }
  const chosen = publicity ?? (create.public ? "public" : "private");
  if (create[chosen]) return chosen;
  const message = `The game mode ${game_mode} does not allow ${chosen} lobbies to be created.`;
  return refuse("MATCHMAKER_PUBLICITY_NOT_ALLOWED", message);
}

/** What a studio's own backend may do. */
const unbound = { enabled: true, public: true, private: true };
