import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { ResolvedGameMode } from "../../contract/version-config.ts";
import type { Refusal as EngineRefusal, Find, NewLobby, Pair } from "../../matchmaker/commands.ts";
import type { StartPermit } from "../capacity/start-permit.ts";
import type { NamespaceConfig, VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { explain } from "./explain-reply.ts";
import { noLobbyMessage, refusedSummary } from "./find-summary.ts";
import { drawCodes } from "./join-codes.ts";
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
  type Wishes,
} from "./new-lobby.ts";
import { newLobbyRefusals, refuseSeats } from "./seat-reply.ts";
import { checkKeys, newPlayerIds, type SeatRequest } from "./seat-request.ts";

export type FindBody = Parameters<Handlers["lobbies.find"]>[0]["body"];
export type FindRefusal = Refusal<ErrorOf<Operations["lobbies.find"]>>;

/** What one find or its dry run asks of the rules, and what is said of their refusal; `isNoted`: also to operators. */
export function createFindPlan(
  context: Context,
  asked: SeatRequest,
  body: FindBody,
  permit: StartPermit,
  isNoted = false,
) {
  const wanted = body.explain ? true : isNoted && "refusal";
  /** What to say of a refusal depends on what was asked last. */
  let planned: Find | null = null;
  let explained: object | null = null;
  return {
    plan(config: NamespaceConfig, longerBy: number): Find | FindRefusal {
      const plan = planFind(context, config, asked, body, permit, wanted, longerBy);
      planned = isRefusal(plan) ? null : plan;
      return plan;
    },
    refuse(refused: EngineRefusal): FindRefusal {
      const { refusal, explain } = refuseFind(refused, planned, asked, body, permit);
      explained = explain;
      return body.explain ? { ...refusal, metadata: { ...refusal.metadata, ...(explain && { explain }) } } : refusal;
    },
    /** Why the rules refused it, as the player would be shown; null: that was not explained. */
    explained: () => (isNoted ? explained : null),
    /** What the client's finds have caused keeps it from causing another lobby. */
    isOverBudget: () => permit.blockedBy()?.code === "API_RATE_LIMIT",
    /** The lobby that would be made. */
    plannedLobby: () => planned?.create ?? null,
  };
}

/** The rules' refusal in the contract's words, and its explanation if there is one. */
function refuseFind(
  refused: EngineRefusal,
  planned: Find | null,
  { seats }: SeatRequest,
  body: FindBody,
  permit: StartPermit,
) {
  const { code, explanation } = refused;
  const blockedBy = permit.blockedBy();
  const NO_AVAILABLE_LOBBIES = noLobbyMessage(body, seats, planned);
  const refusal =
    code === blockedBy?.code ? blockedBy.refusal : refuseSeats(refused, newLobbyRefusals, { NO_AVAILABLE_LOBBIES });
  if (explanation === undefined) return { refusal, explain: null };
  const summary = refusedSummary(code, planned, body.prevent_auto_create_lobby ?? false);
  return { refusal, explain: explain(explanation, summary, seats).explain ?? null };
}

/** The steps from a body to a command; the first that refuses ends them. */
function planFind(
  context: Context,
  config: NamespaceConfig,
  asked: SeatRequest,
  body: FindBody,
  permit: StartPermit,
  explain: Find["explain"] & {},
  longerBy: number,
): Find | FindRefusal {
  const version = deployedVersion(config);
  if (isRefusal(version)) return version;
  const wrongVersion = checkVersion(version, body.version);
  if (wrongVersion) return wrongVersion;
  const wishes = readWishes(body);
  const modes = listFindableModes(version, body.game_modes, wishes, asked.client !== null);
  if (isRefusal(modes)) return modes;
  const regions = body.regions ?? [];
  const pairs = listPairs(version, modes, regions, asked.client?.place ?? null);
  if (pairs.length === 0) return regionNotFound(body.game_modes, regions);
  for (const [name, mode] of asked.keys === null ? [] : modes) {
    const notVouched = checkKeys(name, mode, asked);
    if (notVouched) return notVouched;
  }

  const create = body.prevent_auto_create_lobby
    ? null
    : planNewLobby(context, version, pairs, wishes, permit, longerBy);
  const command: Find = {
    type: "find",
    namespaceId: config.namespaceId,
    now: context.now(),
    revision: config.revision,
    clientId: asked.clientId,
    pairs,
    tags: wishes.tags,
    playerIds: newPlayerIds(context, asked.seats),
    create,
    createRefusal: "NO_AVAILABLE_LOBBIES",
    idempotency: asked.idempotency,
    explain,
  };
  const startRefusal = create && permit.blockedBy()?.code;
  const { keys, areKeysVouched } = asked;
  // Most finds have none of these, and are not copied.
  if (keys === null && !areKeysVouched && !startRefusal) return command;
  return {
    ...command,
    ...(keys !== null && { keys }),
    ...(areKeysVouched && { areKeysVouched: true }),
    ...(startRefusal && { startRefusal }),
  };
}

/** The game modes by their names, each of which must allow the find as it is. */
function listFindableModes(version: VersionInUse, names: readonly string[], wishes: Wishes, isPlayer: boolean) {
  const modes: (readonly [string, ResolvedGameMode])[] = [];
  for (const name of names) {
    const mode = findGameMode(version, name);
    if (isRefusal(mode)) return mode;
    if (isPlayer && !mode.actions.find.enabled) {
      return refuse("MATCHMAKER_FIND_DISABLED", `The game mode ${name} does not allow find.`);
    }
    const refusal = checkWishes(name, mode, wishes, isPlayer);
    if (refusal) return refusal;
    modes.push([name, mode]);
  }
  return modes;
}

/** The lobby to make when nothing fits; the permit says whether it may start. Null: Foyer starts none of these pairs. */
function planNewLobby(
  context: Context,
  version: VersionInUse,
  pairs: readonly Pair[],
  wishes: Wishes,
  permit: StartPermit,
  longerBy: number,
): NewLobby | null {
  const startable = pairs.filter(({ gameMode }) => isStartable(version.config.game_modes[gameMode]!));
  if (startable.length === 0) return null;
  const lobbyId = context.newId();
  const pair = permit.ask(version.versionId, startable, lobbyId);
  return newLobby(lobbyId, version, pair, wishes, { codes: drawCodes(context, version, pair, longerBy) });
}
