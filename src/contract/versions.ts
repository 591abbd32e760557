import { cursor, describedAs, issueArray, named, object, pageQuery, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud, displayName } from "./games.ts";
import { Type } from "./type.ts";
import { type VersionConfig, versionConfig } from "./version-config.ts";

/**
 * The request's shape accepts any object: issues of a version are results of its check, all of them listed with their
 * paths (see docs/decisions/0007). The schema VersionConfig describes the document itself.
 */
const proposedVersion = named("ProposedVersion", {
  display_name: displayName,
  config: describedAs(
    versionConfig,
    Type.Unsafe<Record<string, unknown>>({ type: "object", description: "A VersionConfig document." }),
  ),
});

const versionSummary = {
  version_id: uuid("The version's id."),
  display_name: displayName,
  create_ts: timestamp("When it was made."),
};

export const versions = {
  "games.versions.createGameVersion": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/versions",
    summary: "Creates a version: an immutable document of game modes, regions and how lobbies run.",
    body: proposedVersion,
    reply: object({ version_id: uuid("The new version's id.") }),
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_VALIDATION_ERROR", "TOKEN_FORBIDDEN", "CLOUD_QUOTA_REACHED"],
  },
  "games.versions.validateGameVersion": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/versions/validate",
    isCheck: true,
    summary: "Checks a proposed version and lists every issue.",
    body: proposedVersion,
    reply: named("VersionValidationAnswer", {
      errors: issueArray,
      warnings: Type.Optional(issueArray),
    }),
    errors: ["CLOUD_GAME_NOT_FOUND"],
  },
  "games.versions.listGameVersions": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/versions",
    summary: "Lists the versions of a game, newest first.",
    query: pageQuery,
    reply: object({ versions: Type.Array(named("VersionSummary", versionSummary)), cursor }),
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND"],
  },
  "games.versions.getGameVersion": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/versions/{version_id}",
    summary: "Returns a version with its document.",
    reply: object({
      version: named("Version", {
        ...versionSummary,
        config: describedAs(
          versionConfig,
          Type.Unsafe<VersionConfig>({
            type: "object",
            additionalProperties: true,
            description: "A VersionConfig.",
          }),
        ),
      }),
    }),
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_VERSION_NOT_FOUND"],
  },
  "games.versions.deleteGameVersion": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/games/{game_id}/versions/{version_id}",
    summary: "Deletes a version that nothing uses.",
    details:
      "It is refused while the version is deployed to a namespace, or while Foyer runs a lobby of it. " +
      "Lobbies of it that you run yourself continue. Histories keep its id and display name, with `is_deleted`.",
    reply: null,
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_VERSION_NOT_FOUND", "CLOUD_VERSION_IN_USE"],
  },
} as const satisfies Record<string, Operation>;
