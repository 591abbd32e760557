import type { CommandOf, LobbyView, Outcome, RefusalCode } from "../../matchmaker/commands.ts";
import { versionExists } from "../../store/versions.ts";
import type { CallerOf } from "../callers.ts";
import { quoted, versionNotFound } from "../cloud/lookup.ts";
import { checkServerToken } from "../cloud/revoking.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Fault, isRefusal, type Refusal, refuse } from "../refusal.ts";
import { checkTags } from "./lobby-requests.ts";
import {
  checkModeSize,
  checkModeTags,
  deployedVersion,
  findGameMode,
  newLobby,
  readWishes,
  regionNotFound,
} from "./new-lobby.ts";
import { isHostname, portsAnswer } from "./ports.ts";
import { namespaceGone, refuseSeats } from "./seat-reply.ts";

type LobbyCommandType = "setReady" | "setClosed" | "setState" | "heartbeat" | "stopLobby";
type RegisterRequest = Parameters<Handlers["lobbies.register"]>[0];

/** What lobbies say about themselves, and how a studio's own servers become lobbies. */
export function lobbyCallOperations(context: Context) {
  const { engine } = context;

  async function tell<T extends LobbyCommandType>(command: CommandOf<T>) {
    const outcome: Outcome<T> = await engine.execute(command);
    return outcome.ok ? outcome : lobbyRefusal(outcome.code);
  }

  /** The version that a registration names; null: it names none, and the deployed one is meant. */
  async function versionFor({ body, caller }: RegisterRequest) {
    if (body.version_id === undefined || body.version_id === null) return null;
    const config = await context.configs.get(caller.namespaceId);
    if (!config) return namespaceGone();
    const versionId = body.version_id.toLowerCase();
    // A node that knew the version goes on knowing it when it is deleted.
    const isThere = await versionExists(context.db, config.gameId, versionId);
    const version = isThere ? await context.configs.version(config.gameId, versionId) : null;
    return version ?? versionNotFound(body.version_id);
  }

  return {
    "lobbies.ready": async ({ caller: { namespaceId, lobbyId } }) =>
      emptied(await tell<"setReady">({ type: "setReady", namespaceId, lobbyId, now: context.now() })),

    "lobbies.setClosed": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const now = context.now();
      return emptied(
        await tell<"setClosed">({ type: "setClosed", namespaceId, lobbyId, now, isClosed: body.is_closed }),
      );
    },

    "lobbies.setState": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const state = body === undefined || body === null ? null : JSON.stringify(body);
      return emptied(await tell<"setState">({ type: "setState", namespaceId, lobbyId, now: context.now(), state }));
    },

    "lobbies.getState": async ({ caller, params }) => {
      const { namespaceId } = caller;
      const now = context.now();
      const ended = endedRefusal(await engine.read({ type: "lobby", namespaceId, now, lobbyId: caller.lobbyId }));
      if (ended) return ended;
      const lobby = await engine.read({ type: "lobby", namespaceId, now, lobbyId: params.lobby_id.toLowerCase() });
      if (!lobby) {
        return refuse("MATCHMAKER_LOBBY_NOT_FOUND", `The namespace has no lobby ${quoted(params.lobby_id)}.`);
      }
      if (lobby.status === "stopped") return refuse("MATCHMAKER_LOBBY_STOPPED", "The lobby has stopped.");
      return lobby.state === null ? null : JSON.parse(lobby.state);
    },

    "lobbies.heartbeat": async ({ caller: { namespaceId, lobbyId }, body }) => {
      const playerIds = body?.player_ids?.map((id) => id.toLowerCase()) ?? null;
      const isClosed = body?.is_closed ?? null;
      const now = context.now();
      const outcome = await tell<"heartbeat">({ type: "heartbeat", namespaceId, lobbyId, now, playerIds, isClosed });
      if (isRefusal(outcome)) return outcome;
      return {
        player_ids: [...outcome.playerIds],
        is_closed: outcome.isClosed,
        is_closed_by_operator: outcome.isClosedByOperator,
        is_outdated: outcome.isOutdated,
      };
    },

    "lobbies.stop": async ({ caller: { namespaceId, lobbyId } }) => {
      const now = context.now();
      return emptied(
        await tell<"stopLobby">({ type: "stopLobby", namespaceId, lobbyId, now, reason: "self", exit: null }),
      );
    },

    "lobbies.register": async (request) => {
      const { body, caller } = request;
      const { namespaceId } = caller;
      const fault = checkTags(body.tags);
      if (fault) return fault;
      const named = await versionFor(request);
      if (isRefusal(named)) return named;
      const lobbyId = context.newId();
      const outcome = await context.configs.execute("createLobby", namespaceId, async ({ revision, ...config }) => {
        const revoked = await checkServerToken(context, caller);
        if (revoked) return revoked;
        const version = named ?? deployedVersion({ revision, ...config });
        if (isRefusal(version)) return version;
        const mode = findGameMode(version, body.game_mode);
        if (isRefusal(mode)) return mode;
        if (!mode.regions.includes(body.region)) return regionNotFound([body.game_mode], [body.region]);
        const wishes = readWishes(body);
        const refusal =
          checkModeTags(body.game_mode, mode, wishes.tags) ??
          checkModeSize(body.game_mode, mode, wishes.maxPlayers) ??
          checkPorts(body.game_mode, Object.keys(mode.ports), body.ports);
        if (refusal) return refusal;
        const ports = JSON.stringify(portsAnswer(body.ports));
        const special = { isExternal: true, isPrivate: body.publicity === "private", ports };
        const lobby = newLobby(lobbyId, version, { gameMode: body.game_mode, region: body.region }, wishes, special);
        return {
          type: "createLobby",
          reason: "registered",
          namespaceId,
          now: context.now(),
          revision,
          lobby,
          clientId: null,
          registeredBy: caller.tokenId,
          playerIds: [],
          idempotency: null,
        } satisfies CommandOf<"createLobby">;
      });
      if (outcome === null) return namespaceGone();
      if (isRefusal(outcome)) return outcome;
      if (!outcome.ok) {
        const TOO_MANY_LOBBIES = "The namespace has as many lobbies as its lobby_count_max allows.";
        return refuseSeats(outcome.code, ["TOO_MANY_LOBBIES"], { TOO_MANY_LOBBIES });
      }
      return { lobby_id: lobbyId, token: context.tokens.make({ kind: "lobby", namespaceId, lobbyId }) };
    },
  } satisfies Partial<Handlers>;
}

/** Of a call whose only success is 204. */
function emptied<R>(answer: R): Extract<R, Refusal> | null {
  return isRefusal(answer) ? (answer as Extract<R, Refusal>) : null;
}

/** A lobby that ended is told so for ten minutes; after that its token means nothing any more. */
export function lobbyRefusal(code: RefusalCode) {
  if (code === "LOBBY_STOPPED") return refuse("MATCHMAKER_LOBBY_STOPPED", "This lobby has stopped.");
  if (code === "LOBBY_NOT_FOUND") return refuse("TOKEN_INVALID", "The lobby token is not valid, or its lobby is gone.");
  throw new Error(`the rules answered ${code}, which is no answer to a lobby's call`);
}

/** A refusal when the lobby of an authentic token is gone. That it has stopped is for its calls to tell. */
export async function checkLobby({ engine, now }: Context, { namespaceId, lobbyId }: CallerOf<"lobby">) {
  const lobby = await engine.read({ type: "lobby", namespaceId, lobbyId, now: now() });
  return lobby ? null : lobbyRefusal("LOBBY_NOT_FOUND");
}

export function endedRefusal(lobby: LobbyView | null) {
  if (!lobby) return lobbyRefusal("LOBBY_NOT_FOUND");
  return lobby.status === "stopped" ? lobbyRefusal("LOBBY_STOPPED") : null;
}

/** The labels must be exactly the mode's, so that every player finds the port it looks for. */
function checkPorts(gameMode: string, labels: readonly string[], ports: RegisterRequest["body"]["ports"]) {
  const missing = labels.filter((label) => !Object.hasOwn(ports, label));
  const others = Object.keys(ports).filter((label) => !labels.includes(label));
  const misnamed = Object.entries(ports).filter(
    ([label, { hostname }]) => labels.includes(label) && !isHostname(hostname),
  );
  const errors: Fault[] = [
    ...missing.map((label) => ({ path: ["ports", label], message: "is required" })),
    ...others.map((label) => ({ path: ["ports", label], message: "is not a port of the game mode" })),
    ...misnamed.map(([label]) => ({
      path: ["ports", label, "hostname"],
      message: "must be a host name or an IP address",
    })),
  ];
  if (errors.length === 0) return null;
  const sentences = misnamed.map(
    ([label, { hostname }]) =>
      `The hostname ${quoted(hostname)} of the port ${label} is neither a host name nor an IP address.`,
  );
  if (missing.length + others.length > 0) {
    sentences.unshift(`The ports of a lobby of the game mode ${gameMode} are: ${labels.join(", ") || "none"}.`);
  }
  return refuse("MATCHMAKER_PORTS_INVALID", sentences.slice(0, 2).join(" "), { errors });
}
