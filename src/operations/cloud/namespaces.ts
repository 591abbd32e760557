import { domainsPerNamespaceMax, lobbyCountMaxDefault, maxPlayersDefault, uint32Max } from "../../ground/limits.ts";
import { addDomain, type Domain, listDomains, listDomainsOf, removeDomain } from "../../store/domains.ts";
import {
  deleteNamespace,
  insertNamespace,
  listNamespaces,
  type Namespace,
  namespaceNameExists,
  setDomainPublicAuth,
  setMatchmakerConfig,
} from "../../store/namespaces.ts";
import { deployVersion, listDeployments } from "../../store/versions.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Fault, isRefusal, refuse } from "../refusal.ts";
import { normaliseDomain } from "./domain-names.ts";
import { gameNotFound, gameOf, namespaceNotFound, namespaceOf, quotaReached, versionNotFound } from "./lookup.ts";
import { checkNames, nameTaken, refuseNames } from "./names-of.ts";
import { cutPage, pageOf, timestampOf } from "./pagination.ts";
import { removeLobbies, removeRemains } from "./remove-lobbies.ts";

export function namespaceOperations(context: Context) {
  const { db } = context;

  return {
    "games.namespaces.listGameNamespaces": async ({ params, query }) => {
      const page = pageOf(query);
      if (isRefusal(page)) return page;
      const game = await gameOf(db, params);
      if (isRefusal(game)) return game;
      const { rows, more } = cutPage(await listNamespaces(db, game.gameId, page), page, (row) => row.namespaceId);
      const domainsOf = await listDomainsOf(
        db,
        rows.map(({ namespaceId }) => namespaceId),
      );
      return { namespaces: rows.map((row) => namespaceAnswer(row, domainsOf.get(row.namespaceId)!)), ...more };
    },

    "games.namespaces.createGameNamespace": async ({ params, body, record }) => {
      const game = await gameOf(db, params);
      const isTaken = async (nameId: string) => !isRefusal(game) && namespaceNameExists(db, game.gameId, nameId);
      const names = await checkNames(body, isTaken);
      if (names.faults.length > 0) return refuseNames(names, "namespace");
      if (isRefusal(game)) return game;

      const namespace: Namespace = {
        namespaceId: context.newId(),
        gameId: game.gameId,
        nameId: body.name_id,
        displayName: names.displayName,
        createTs: context.now(),
        versionId: body.version_id?.toLowerCase() ?? null,
        lobbyCountMax: lobbyCountMaxDefault,
        maxPlayers: maxPlayersDefault,
        maxPlayersPerClient: null,
        domainPublicAuth: { enabled: false, allowLocalhost: false },
        revision: 1,
      };
      const deployment = namespace.versionId && { deploymentId: context.newId(), deployTs: namespace.createTs };
      const { namespaceId, nameId } = namespace;
      const { maxNamespacesPerGame: namespacesMax } = context.config;
      const recorded = record({ namespaceId, target: nameId });
      const inserted = await insertNamespace(recorded, namespace, deployment || null, { namespacesMax });
      if (inserted === "NAME_TAKEN") return nameTaken(body.name_id, "namespace");
      if (inserted === "GAME_NOT_FOUND") return gameNotFound(params.game_id);
      if (inserted === "TOO_MANY") return quotaReached("game", namespacesMax, "namespaces", "max_namespaces_per_game");
      if (inserted === "VERSION_NOT_FOUND") return versionNotFound(body.version_id ?? "");
      await context.configs.changed(namespaceId);
      return { namespace_id: namespaceId };
    },

    "games.namespaces.validateGameNamespace": async ({ params, body }) => {
      const game = await gameOf(db, params);
      if (isRefusal(game)) return game;
      const names = await checkNames(body, (nameId) => namespaceNameExists(db, game.gameId, nameId));
      return { errors: names.faults };
    },

    "games.namespaces.getGameNamespace": async ({ params }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      return { namespace: namespaceAnswer(namespace, await listDomains(db, namespace.namespaceId)) };
    },

    "games.namespaces.deleteGameNamespace": async ({ params, query, record }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      return context.configs.removing(async () => {
        const remaining = await removeLobbies(context, namespace, query.force ?? false);
        if (remaining) return remaining;
        const deleted = await deleteNamespace(record({ target: namespace.nameId }), namespace.namespaceId);
        await removeRemains(context, [namespace.namespaceId]);
        return deleted ? null : namespaceNotFound(params.namespace_id);
      });
    },

    "games.namespaces.updateGameNamespaceMatchmakerConfig": async ({ params, body, record }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const revision = await setMatchmakerConfig(record(), namespace.namespaceId, {
        lobbyCountMax: body.lobby_count_max,
        maxPlayers: body.max_players,
        ...(body.max_players_per_client !== undefined && { maxPlayersPerClient: body.max_players_per_client }),
      });
      if (revision === null) return namespaceNotFound(params.namespace_id);
      await context.configs.changed(namespace.namespaceId);
      return null;
    },

    "games.namespaces.validateGameNamespaceMatchmakerConfig": async ({ params, body }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const fields = ["lobby_count_max", "max_players", "max_players_per_client"] as const;
      return { errors: fields.filter((field) => !isUint32(body[field])).map(outOfRange) };
    },

    "games.namespaces.addNamespaceDomain": async ({ params, body, record }) => {
      const checked = normaliseDomain(body.domain);
      if ("fault" in checked) return invalidDomain(checked.fault);
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const { domain } = checked;
      const outcome = await addDomain(record({ target: domain }), {
        namespaceId: namespace.namespaceId,
        domain,
        createTs: context.now(),
        domainsMax: domainsPerNamespaceMax,
      });
      if (outcome === "TAKEN") {
        return refuse(
          "CLOUD_DOMAIN_TAKEN",
          `The domain ${domain} belongs to another namespace; remove it there first.`,
        );
      }
      if (outcome === "TOO_MANY") {
        const message = `The namespace has ${domainsPerNamespaceMax} domains already, which is the most it may have.`;
        return refuse("CLOUD_TOO_MANY_DOMAINS", message);
      }
      return outcome === "NAMESPACE_NOT_FOUND" ? namespaceNotFound(params.namespace_id) : null;
    },

    "games.namespaces.removeNamespaceDomain": async ({ params, record }) => {
      const checked = normaliseDomain(params.domain);
      if ("fault" in checked) return invalidDomain(checked.fault);
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const { domain } = checked;
      await removeDomain(record({ target: domain }), namespace.namespaceId, domain);
      return null;
    },

    "games.namespaces.toggleNamespaceDomainPublicAuth": async ({ params, body, record }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const revision = await setDomainPublicAuth(record(), namespace.namespaceId, {
        enabled: body.enabled,
        ...(typeof body.allow_localhost === "boolean" && { allowLocalhost: body.allow_localhost }),
      });
      return revision === null ? namespaceNotFound(params.namespace_id) : null;
    },

    "games.namespaces.updateGameNamespaceVersion": async ({ params, body, record }) => {
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const versionId = body.version_id.toLowerCase();
      const outcome = await deployVersion(record({ target: versionId }), {
        namespaceId: namespace.namespaceId,
        versionId,
        deployment: () => ({ deploymentId: context.newId(), deployTs: context.now() }),
      });
      if (outcome === "VERSION_NOT_FOUND") return versionNotFound(body.version_id);
      if (outcome === "NAMESPACE_NOT_FOUND") return namespaceNotFound(params.namespace_id);
      await context.configs.changed(namespace.namespaceId);
      return null;
    },

    "games.namespaces.getVersionHistory": async ({ params, query }) => {
      const page = pageOf(query);
      if (isRefusal(page)) return page;
      const namespace = await namespaceOf(db, params);
      if (isRefusal(namespace)) return namespace;
      const deployments = await listDeployments(db, namespace.namespaceId, page);
      const { rows, more } = cutPage(deployments, page, (row) => row.deploymentId);
      const versions = rows.map((row) => ({
        version_id: row.versionId,
        display_name: row.displayName,
        deploy_ts: timestampOf(row.deployTs),
        is_deleted: row.isDeleted,
      }));
      return { versions, ...more };
    },
  } satisfies Partial<Handlers>;
}

function namespaceAnswer(namespace: Namespace, domains: readonly Domain[]) {
  return {
    namespace_id: namespace.namespaceId,
    game_id: namespace.gameId,
    name_id: namespace.nameId,
    display_name: namespace.displayName,
    create_ts: timestampOf(namespace.createTs),
    version_id: namespace.versionId,
    matchmaker: {
      lobby_count_max: namespace.lobbyCountMax,
      max_players: namespace.maxPlayers,
      max_players_per_client: namespace.maxPlayersPerClient,
    },
    domains: domains.map(({ domain, createTs }) => ({ domain, create_ts: timestampOf(createTs) })),
    domain_public_auth: {
      enabled: namespace.domainPublicAuth.enabled,
      allow_localhost: namespace.domainPublicAuth.allowLocalhost,
    },
  };
}

function isUint32(value: number | null | undefined): boolean {
  return value === null || value === undefined || (Number.isInteger(value) && value >= 0 && value <= uint32Max);
}

function outOfRange(field: string): Fault {
  return { path: [field, "out_of_range"], message: `${field} must be an integer from 0 to ${uint32Max}.` };
}

function invalidDomain(message: string) {
  return refuse("CLOUD_INVALID_DOMAIN", message, { errors: [{ path: ["domain"], message }] });
}
