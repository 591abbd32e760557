import type { ErrorOf } from "../../contract/define.ts";
import type { Operations } from "../../contract/index.ts";
import type { ResolvedGameMode } from "../../contract/version-config.ts";
import type {
  Refusal as EngineRefusal,
  Explanation,
  Find,
  LobbyView,
  Pair,
  Seated,
} from "../../matchmaker/commands.ts";
import type { StartPermit } from "../capacity/start-permit.ts";
import type { NamespaceConfig, VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { explainReplay, toExplainReply } from "./explain-reply.ts";
import { createdSummary, noLobbyMessage, refusedSummary, seatedSummary } from "./find-summary.ts";
import {
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
import { type SeatRequest, toSeatCommand } from "./seat-request.ts";

export type FindBody = Parameters<Handlers["lobbies.find"]>[0]["body"];
export type FindRefusal = Refusal<ErrorOf<Operations["lobbies.find"]>>;

/** What one find or its dry run asks of the rules, and what is said of their answer. */
export function createFindPlan(context: Context, asked: SeatRequest, body: FindBody, permit: StartPermit) {
  /** What to say of an answer depends on what was asked last. */
  let planned: Find | null = null;

  function explain(explanation: Explanation | undefined, summary: string) {
    return explanation ? { explain: toExplainReply(explanation, summary, asked.seats) } : {};
  }

  return {
    plan(config: NamespaceConfig): Find | FindRefusal {
      const plan = planFind(context, config, asked, body, permit);
      planned = isRefusal(plan) ? null : plan;
      return plan;
    },
    /** The rules' refusal in the contract's words, with the explanation among its details if the call asks for one. */
    refuse({ code, explanation }: EngineRefusal) {
      const { blockedBy } = permit;
      const NO_AVAILABLE_LOBBIES = noLobbyMessage(body, asked.seats, planned);
      const refusal =
        code === blockedBy?.code ? blockedBy.refusal : refuseSeats(code, newLobbyRefusals, { NO_AVAILABLE_LOBBIES });
      if (!body.explain) return refusal;
      const summary = refusedSummary(code, planned, body.prevent_auto_create_lobby ?? false);
      return { ...refusal, metadata: { ...refusal.metadata, ...explain(explanation, summary) } };
    },
    explainSeated({ lobby, isNewLobby, isReplay, explanation }: Seated) {
      return isReplay ? { explain: explainReplay() } : explain(explanation, seatedSummary(lobby, isNewLobby));
    },
    explainPreview({ lobby, explanation }: { readonly lobby: LobbyView | null; readonly explanation?: Explanation }) {
      if (lobby !== null) return explain(explanation, seatedSummary(lobby, false));
      return planned?.create ? explain(explanation, createdSummary(planned.create)) : {};
    },
  };
}

/** The steps from a body to a command; the first that refuses ends them. */
function planFind(
  context: Context,
  config: NamespaceConfig,
  asked: SeatRequest,
  body: FindBody,
  permit: StartPermit,
): Find | FindRefusal {
  const version = deployedVersion(config);
  if (isRefusal(version)) return version;
  const wishes = readWishes(body);
  const modes = listFindableModes(version, body.game_modes, wishes);
  if (isRefusal(modes)) return modes;
  const regions = body.regions ?? [];
  const pairs = listPairs(version, modes, regions, asked.client.place);
  if (pairs.length === 0) return regionNotFound(body.game_modes, regions);

  return {
    type: "find",
    ...toSeatCommand(context, config, asked),
    pairs,
    tags: wishes.tags,
    createRefusal: "NO_AVAILABLE_LOBBIES",
    ...(body.prevent_auto_create_lobby ? { create: null } : planNewLobby(context, version, pairs, wishes, permit)),
    ...(body.explain && { explain: true }),
  };
}

/** The game modes by their names, each of which must allow the find as it is. */
function listFindableModes(version: VersionInUse, names: readonly string[], wishes: Wishes) {
  const modes: (readonly [string, ResolvedGameMode])[] = [];
  for (const name of names) {
    const mode = findGameMode(version, name);
    if (isRefusal(mode)) return mode;
    if (!mode.actions.find.enabled) {
      return refuse("MATCHMAKER_FIND_DISABLED", `The game mode ${name} does not allow find.`);
    }
    const refusal = checkWishes(name, mode, wishes);
    if (refusal) return refusal;
    modes.push([name, mode]);
  }
  return modes;
}

/** The lobby to make when nothing fits, and what blocks its start. */
function planNewLobby(
  context: Context,
  version: VersionInUse,
  pairs: readonly Pair[],
  wishes: Wishes,
  permit: StartPermit,
): Pick<Find, "create" | "startRefusal"> {
  const startable = pairs.filter(({ gameMode }) => isStartable(version.config.game_modes[gameMode]!));
  if (startable.length === 0) return { create: null };
  const lobbyId = context.newId();
  const pair = permit.ask(version.versionId, startable, lobbyId);
  const create = newLobby(lobbyId, version, pair, wishes);
  return permit.blockedBy ? { create, startRefusal: permit.blockedBy.code } : { create };
}
