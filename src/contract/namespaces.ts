import { portsMax, uint32Max } from "../ground/limits.ts";
import {
  cursor,
  issueList,
  named,
  nullable,
  object,
  optional,
  pageQuery,
  record,
  timestamp,
  uint32,
  uuid,
} from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud, displayName, forceQuery, nameId, newToken, proposedNames, tokenList } from "./games.ts";
import { Type } from "./type.ts";
import { protocols } from "./version-config.ts";

const namespacePath = "/cloud/games/{game_id}/namespaces/{namespace_id}";
const notFound = ["CLOUD_GAME_NOT_FOUND", "CLOUD_NAMESPACE_NOT_FOUND"] as const;

const namespace = named("Namespace", {
  namespace_id: uuid("The namespace's id."),
  game_id: uuid("The game it belongs to."),
  name_id: nameId,
  display_name: displayName,
  create_ts: timestamp("When it was created."),
  version_id: nullable(uuid("The deployed version. Null: none is deployed yet.")),
  matchmaker: object({
    lobby_count_max: uint32("The most lobbies at the same time."),
    max_players: uint32("The most players in one lobby."),
    max_players_per_client: nullable(uint32("The most seats one client may have at the same time. Null: no limit.")),
  }),
  domains: Type.Array(object({ domain: Type.String(), create_ts: timestamp("When it was added.") })),
  domain_public_auth: object({ enabled: Type.Boolean(), allow_localhost: Type.Boolean() }),
});

const matchmakerConfig = named("MatchmakerConfig", {
  lobby_count_max: uint32("The most lobbies at the same time in the namespace. 0: no new lobby."),
  max_players: uint32("The most players in one lobby. 0: no player gets a seat."),
  max_players_per_client: optional(
    uint32("The most seats one client may have at the same time. Absent: unchanged. Null: no limit."),
  ),
});

/** The same fields with any number in them: being out of range is a result of the check, not a bad request. */
const proposedMatchmakerConfig = named("ProposedMatchmakerConfig", {
  lobby_count_max: Type.Number({ description: `Valid: an integer from 0 to ${uint32Max}.` }),
  max_players: Type.Number({ description: `Valid: an integer from 0 to ${uint32Max}.` }),
  max_players_per_client: optional(Type.Number({ description: `Valid: an integer from 0 to ${uint32Max}, or null.` })),
});

const portNumber = Type.Integer({ minimum: 1, maximum: 65_535 });

const developmentServer = named("DevelopmentServer", {
  hostname: Type.String({ minLength: 1, maxLength: 253, description: "Where the game server under development runs." }),
  ports: record(
    object({
      protocol: Type.Enum([...protocols]),
      port: optional(portNumber),
      port_range: optional(object({ min: portNumber, max: portNumber })),
    }),
    { maxProperties: portsMax, description: "By label; each has either `port` or `port_range`." },
  ),
});

export const namespaces = {
  "games.namespaces.listGameNamespaces": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/namespaces",
    summary: "Lists the namespaces of a game.",
    query: pageQuery,
    reply: object({ namespaces: Type.Array(namespace), cursor }),
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND"],
  },
  "games.namespaces.createGameNamespace": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/namespaces",
    summary: "Creates a namespace, optionally with a version deployed.",
    body: object({
      display_name: displayName,
      name_id: nameId,
      version_id: optional(uuid("A version of the game to deploy immediately.")),
    }),
    reply: object({ namespace_id: uuid("The new namespace's id.") }),
    errors: [
      "CLOUD_GAME_NOT_FOUND",
      "CLOUD_VERSION_NOT_FOUND",
      "CLOUD_VALIDATION_ERROR",
      "CLOUD_NAME_TAKEN",
      "CLOUD_QUOTA_REACHED",
    ],
  },
  "games.namespaces.validateGameNamespace": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/namespaces/validate",
    isCheck: true,
    summary: "Checks the data proposed for a new namespace and lists every issue.",
    details:
      "Nothing is stored, and the status is 200 also when there are issues. `path` is the field and the reason: " +
      "`display_name` with `too_short`, `too_long` or `invalid`; `name_id` with `too_short`, `too_long`, `invalid`, " +
      "`reserved` or `not_unique`. A field that is missing or has the wrong type is a bad request.",
    body: proposedNames,
    reply: issueList,
    errors: ["CLOUD_GAME_NOT_FOUND"],
  },
  "games.namespaces.getGameNamespace": {
    ...cloud,
    method: "GET",
    path: namespacePath,
    summary: "Returns a namespace with its limits and domains.",
    reply: object({ namespace }),
    errors: notFound,
  },
  "games.namespaces.deleteGameNamespace": {
    ...cloud,
    method: "DELETE",
    path: namespacePath,
    summary: "Deletes a namespace with its domains and tokens.",
    details: "It is refused while the namespace has running lobbies. `?force=true` stops them.",
    query: forceQuery,
    reply: null,
    errors: [...notFound, "CLOUD_NAMESPACE_NOT_EMPTY"],
  },
  "games.namespaces.updateGameNamespaceMatchmakerConfig": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/mm-config`,
    summary: "Sets the matchmaker configuration of a namespace.",
    details:
      "`lobby_count_max` is how many lobbies may run at the same time, `max_players` limits the seats of every lobby. " +
      "It applies to every find, join and create after the answer. No player loses a seat.",
    body: matchmakerConfig,
    reply: null,
    errors: notFound,
  },
  "games.namespaces.validateGameNamespaceMatchmakerConfig": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/mm-config/validate`,
    isCheck: true,
    summary: "Checks a proposed matchmaker configuration and lists every issue.",
    body: proposedMatchmakerConfig,
    reply: issueList,
    errors: notFound,
  },
  "games.namespaces.addNamespaceDomain": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/domains`,
    summary: "Adds a domain to a namespace.",
    details:
      "A domain belongs to at most one namespace; a namespace has at most 32. Write it without protocol, " +
      "port and path, in any letter case; Foyer stores international names in their ASCII form. As soon as a namespace " +
      "has a domain, browsers can use its public token only on its domains. Adding a domain again changes nothing.",
    body: object({
      domain: Type.String({ description: "A domain name without a protocol, such as `play.example.com`." }),
    }),
    reply: null,
    errors: [...notFound, "CLOUD_INVALID_DOMAIN", "CLOUD_DOMAIN_TAKEN", "CLOUD_TOO_MANY_DOMAINS"],
  },
  "games.namespaces.removeNamespaceDomain": {
    ...cloud,
    method: "DELETE",
    path: `${namespacePath}/domains/{domain}`,
    summary: "Removes a domain from a namespace; succeeds also when the namespace does not have it.",
    reply: null,
    errors: [...notFound, "CLOUD_INVALID_DOMAIN"],
  },
  "games.namespaces.toggleNamespaceDomainPublicAuth": {
    ...cloud,
    method: "PUT",
    path: `${namespacePath}/domain-public-auth`,
    summary: "Lets browsers on the namespace's domains call the matchmaker without a token.",
    body: object({
      enabled: optional(Type.Boolean({ description: "Absent or null: unchanged. At least one of the two is needed." })),
      allow_localhost: optional(Type.Boolean({ description: "Absent or null: unchanged." })),
    }),
    reply: null,
    errors: [...notFound, "API_BAD_BODY"],
  },
  "games.namespaces.createGameNamespaceTokenPublic": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/tokens/public`,
    summary: "Creates a public token, for players' machines.",
    reply: newToken,
    errors: [...notFound, "CLOUD_QUOTA_REACHED"],
  },
  "games.namespaces.createGameNamespaceTokenDevelopment": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/tokens/development`,
    summary: "Creates a development token, which gets mock answers that point to the given server.",
    body: developmentServer,
    reply: newToken,
    errors: [...notFound, "CLOUD_VALIDATION_ERROR", "CLOUD_QUOTA_REACHED"],
  },
  "games.namespaces.createGameNamespaceTokenServer": {
    ...cloud,
    method: "POST",
    path: `${namespacePath}/tokens/server`,
    summary: "Creates a server token, for registering lobbies that you run yourself.",
    reply: newToken,
    errors: [...notFound, "CLOUD_QUOTA_REACHED"],
  },
  "games.namespaces.listTokens": {
    ...cloud,
    method: "GET",
    path: `${namespacePath}/tokens`,
    summary: "Lists the namespace's tokens, newest first, without their secrets.",
    query: pageQuery,
    reply: tokenList,
    errors: ["API_BAD_QUERY", ...notFound],
  },
  "games.namespaces.revokeToken": {
    ...cloud,
    method: "DELETE",
    path: `${namespacePath}/tokens/{token_id}`,
    summary: "Revokes a token of the namespace.",
    details:
      "`lobbies` says what Foyer does with the lobbies that a server token registered, before it answers: `unroute` (the " +
      "default) closes them to find until the operator opens them, `stop` stops them, `keep` leaves them unchanged. " +
      "For other kinds of tokens it has no effect.",
    query: object({
      lobbies: Type.Optional(Type.Enum(["keep", "unroute", "stop"], { default: "unroute" })),
    }),
    reply: null,
    errors: [...notFound, "CLOUD_TOKEN_NOT_FOUND"],
  },
  "games.namespaces.updateGameNamespaceVersion": {
    ...cloud,
    method: "PUT",
    path: `${namespacePath}/version`,
    summary: "Deploys a version of the game to a namespace.",
    details:
      "No player loses a seat: from now on find chooses lobbies of this version only. Lobbies of other versions " +
      "keep their players, accept joins by id and stop when they are empty. To roll back, deploy the earlier " +
      "version again.",
    body: object({
      version_id: uuid("The version to deploy."),
      expected_version_id: optional(
        uuid("The version that is deployed now: if it is another one, nothing happens. Absent or null: any."),
      ),
    }),
    reply: null,
    errors: [...notFound, "CLOUD_VERSION_NOT_FOUND", "CLOUD_VERSION_CHANGED"],
  },
  "games.namespaces.getVersionHistory": {
    ...cloud,
    method: "GET",
    path: `${namespacePath}/version-history`,
    summary: "Lists the deployments of a namespace, newest first.",
    query: pageQuery,
    reply: object({
      versions: Type.Array(
        named("Deploy", {
          version_id: uuid("The version."),
          display_name: displayName,
          deploy_ts: timestamp("When it was deployed."),
          is_deleted: Type.Boolean({ description: "The version was deleted; the history keeps its id and name." }),
          rolled_back: Type.Boolean({
            description:
              "It was rolled back from: an earlier version was deployed again in its stead. A rollback goes to the newest " +
              "earlier deployment of another version for which this is false.",
          }),
        }),
      ),
      cursor,
    }),
    errors: ["API_BAD_QUERY", ...notFound],
  },
} as const satisfies Record<string, Operation>;
