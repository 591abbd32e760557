import { lobbyCountMaxDefault, maxPlayersDefault } from "../../ground/limits.ts";
import { type Domain, listDomains, listDomainsByNamespace } from "../../store/domains.ts";
import {
  insertNamespace,
  isNamespaceNameDeleting,
  listNamespaces,
  type Namespace,
  namespaceNameExists,
} from "../../store/namespaces.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal } from "../refusal.ts";
import { deleteNamespace } from "./delete.ts";
import {
  gameNotFound,
  lookUpGame,
  lookUpNamespace,
  namespaceNotFound,
  quotaReached,
  versionNotFound,
} from "./lookup.ts";
import { checkNames, nameTaken, refuseNames } from "./names.ts";
import { cutPage, parsePage, toTimestamp } from "./pagination.ts";

export function namespaceOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.listGameNamespaces": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const { rows, more } = cutPage(await listNamespaces(db, game.gameId, page), page, (row) => row.namespaceId);
      const domainsByNamespace = await listDomainsByNamespace(
        db,
        rows.map(({ namespaceId }) => namespaceId),
      );
      return {
        namespaces: rows.map((row) => toNamespaceReply(row, domainsByNamespace.get(row.namespaceId)!)),
        ...more,
      };
    },

    "games.namespaces.createGameNamespace": async ({ params, body, record }) => {
      const game = await lookUpGame(db, params);
      const isTaken = async (nameId: string) => !isRefusal(game) && namespaceNameExists(db, game.gameId, nameId);
      const names = await checkNames(body, isTaken);
      const isDeleting = async () => !isRefusal(game) && isNamespaceNameDeleting(db, game.gameId, body.name_id);
      if (names.issues.length > 0) return refuseNames(names, "namespace", isDeleting);
      if (isRefusal(game)) return game;

      const namespace = newNamespace(context, {
        gameId: game.gameId,
        nameId: body.name_id,
        displayName: names.displayName,
        versionId: body.version_id?.toLowerCase() ?? null,
      });
      const deployment = namespace.versionId && { deploymentId: context.newId(), deployTs: namespace.createTs };
      const { namespaceId, nameId } = namespace;
      const { maxNamespacesPerGame: namespacesMax } = context.config;
      const recorded = record({ namespaceId, target: nameId });
      const inserted = await insertNamespace(recorded, namespace, deployment || null, { namespacesMax });
      if (inserted === "NAME_TAKEN") return nameTaken(body.name_id, "namespace", isDeleting);
      if (inserted === "GAME_NOT_FOUND") return gameNotFound(params.game_id);
      if (inserted === "TOO_MANY") return quotaReached("game", namespacesMax, "namespaces", "max_namespaces_per_game");
      if (inserted === "VERSION_NOT_FOUND") return versionNotFound(body.version_id ?? "");
      await context.configs.changed(namespaceId);
      return { namespace_id: namespaceId };
    },

    "games.namespaces.validateGameNamespace": async ({ params, body }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const names = await checkNames(body, (nameId) => namespaceNameExists(db, game.gameId, nameId));
      return { errors: names.issues };
    },

    "games.namespaces.getGameNamespace": async ({ params }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      return { namespace: toNamespaceReply(namespace, await listDomains(db, namespace.namespaceId)) };
    },

    "games.namespaces.deleteGameNamespace": async ({ params, query, record }) => {
      const namespace = await lookUpNamespace(db, params);
      if (isRefusal(namespace)) return namespace;
      const recorded = record({ target: namespace.nameId });
      const remaining = await deleteNamespace(context, recorded, namespace, query.force ?? false);
      if (remaining === "NAMESPACE_NOT_FOUND") return namespaceNotFound(params.namespace_id);
      return remaining;
    },
  } satisfies Partial<Handlers>;
}

/** A namespace without a row yet, with the default limits. */
function newNamespace(
  { newId, now }: Context,
  { gameId, nameId, displayName, versionId }: Pick<Namespace, "gameId" | "nameId" | "displayName" | "versionId">,
): Namespace {
  return {
    namespaceId: newId(),
    gameId,
    nameId,
    displayName,
    createTs: now(),
    versionId,
    lobbyCountMax: lobbyCountMaxDefault,
    maxPlayers: maxPlayersDefault,
    maxPlayersPerClient: null,
    domainPublicAuth: { enabled: false, allowLocalhost: false },
    revision: 1,
  };
}

function toNamespaceReply(namespace: Namespace, domains: readonly Domain[]) {
  return {
    namespace_id: namespace.namespaceId,
    game_id: namespace.gameId,
    name_id: namespace.nameId,
    display_name: namespace.displayName,
    create_ts: toTimestamp(namespace.createTs),
    version_id: namespace.versionId,
    matchmaker: {
      lobby_count_max: namespace.lobbyCountMax,
      max_players: namespace.maxPlayers,
      max_players_per_client: namespace.maxPlayersPerClient,
    },
    domains: domains.map(({ domain, createTs }) => ({ domain, create_ts: toTimestamp(createTs) })),
    domain_public_auth: {
      enabled: namespace.domainPublicAuth.enabled,
      allow_localhost: namespace.domainPublicAuth.allowLocalhost,
    },
  };
}
