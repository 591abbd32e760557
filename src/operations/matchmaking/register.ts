import type { CommandOf } from "../../matchmaker/commands.ts";
import { versionExists } from "../../store/versions.ts";
import { quoted, versionNotFound } from "../cloud/lookup.ts";
import { checkServerToken } from "../cloud/revoking.ts";
import type { NamespaceConfig, VersionInUse } from "../config-reader.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Issue, isRefusal, refuse } from "../refusal.ts";
import { drawCodes } from "./join-codes.ts";
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

type RegisterRequest = Parameters<Handlers["lobbies.register"]>[0];

/** How a studio's own servers become lobbies. */
export function registerOperations(context: Context) {
  return {
    "lobbies.register": async (request) => {
      const { body, caller } = request;
      const { namespaceId } = caller;
      const refusal = checkTags(body.tags);
      if (refusal) return refusal;
      const named = await findNamedVersion(context, request);
      if (isRefusal(named)) return named;
      const lobbyId = context.newId();
      const outcome = await context.configs.execute("createLobby", namespaceId, async (config, longerBy) => {
        const revoked = await checkServerToken(context, caller);
        return revoked ?? planRegister(context, config, request, named, lobbyId, longerBy);
      });
      if (outcome === null) return namespaceGone();
      if (isRefusal(outcome)) return outcome;
      if (!outcome.ok) {
        const TOO_MANY_LOBBIES = "The namespace has as many lobbies as its lobby_count_max allows.";
        return refuseSeats(outcome, ["TOO_MANY_LOBBIES"], { TOO_MANY_LOBBIES });
      }
      const { heartbeatMs, reconnectMs, code } = outcome.lobby;
      return {
        lobby_id: lobbyId,
        token: context.tokens.make({ kind: "lobby", namespaceId, lobbyId }),
        heartbeat_s: heartbeatMs / 1000,
        reconnect_s: reconnectMs / 1000,
        ...(code !== null && { code }),
      };
    },
  } satisfies Partial<Handlers>;
}

/** The version that a registration names; null: it names none, and the deployed one is meant. */
async function findNamedVersion(context: Context, { body, caller }: RegisterRequest) {
  if (body.version_id === undefined || body.version_id === null) return null;
  const config = await context.configs.get(caller.namespaceId);
  if (!config) return namespaceGone();
  const versionId = body.version_id.toLowerCase();
  // A node may still have a deleted version in its cache.
  const isThere = await versionExists(context.db, config.gameId, versionId);
  const version = isThere ? await context.configs.version(config.gameId, versionId) : null;
  return version ?? versionNotFound(body.version_id);
}

/** The steps from a body to a command; the first that refuses ends them. */
function planRegister(
  context: Context,
  config: NamespaceConfig,
  { body, caller }: RegisterRequest,
  named: VersionInUse | null,
  lobbyId: string,
  longerBy: number,
) {
  const version = named ?? deployedVersion(config);
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
  const entries = Object.entries(body.ports).map(([label, port]) => [
    label,
    { ...port, protocol: mode.ports[label]!.protocol },
  ]);
  const ports = JSON.stringify(portsAnswer(Object.fromEntries(entries)));
  const pair = { gameMode: body.game_mode, region: body.region };
  const codes = drawCodes(context, version, pair, longerBy);
  const special = { isExternal: true, isPrivate: body.publicity === "private", ports, codes };
  const lobby = newLobby(lobbyId, version, pair, wishes, special);
  return {
    type: "createLobby",
    reason: "registered",
    namespaceId: config.namespaceId,
    now: context.now(),
    revision: config.revision,
    lobby,
    clientId: null,
    registeredBy: caller.tokenId,
    playerIds: [],
    idempotency: null,
  } satisfies CommandOf<"createLobby">;
}

/** The labels must be exactly the mode's, so that every player finds the port it looks for. */
function checkPorts(gameMode: string, labels: readonly string[], ports: RegisterRequest["body"]["ports"]) {
  const missing = labels.filter((label) => !Object.hasOwn(ports, label));
  const others = Object.keys(ports).filter((label) => !labels.includes(label));
  const misnamed = Object.entries(ports).filter(
    ([label, { hostname }]) => labels.includes(label) && !isHostname(hostname),
  );
  const errors: Issue[] = [
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
