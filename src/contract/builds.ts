import { cursor, named, nullable, object, pageQuery, timestamp, uuid } from "./common.ts";
import type { Operation } from "./define.ts";
import { cloud, displayName } from "./games.ts";
import { Type } from "./type.ts";

const sha256 = (description: string) => Type.String({ pattern: "^[0-9a-fA-F]{64}$", description });

const build = named(
  "Build",
  {
    build_id: uuid("The build's id, for `runtime.process.build_id` of a version."),
    display_name: displayName,
    sha256: Type.String({ description: "The SHA-256 of the archive as it was sent." }),
    size: Type.Integer({ minimum: 0, description: "The size of the archive in bytes." }),
    create_ts: timestamp("When it was first uploaded."),
  },
  "The program of lobbies, as an archive that was uploaded.",
);

const buildOnNode = named(
  "BuildOnNode",
  {
    node_id: Type.String(),
    state: Type.Enum(["ready", "preparing", "failed"], {
      description: "ready: the node can start lobbies of it. failed: the node could not unpack it, and tries again.",
    }),
    message: nullable(Type.String({ description: "Why the node could not unpack it; null: it has not failed." })),
  },
  "A node that runs lobbies of a build, because a deployed version names the build in one of the node's regions.",
);

export const builds = {
  "games.builds.createBuild": {
    ...cloud,
    method: "POST",
    path: "/cloud/games/{game_id}/builds",
    summary: "Uploads a build: the program of lobbies as a gzipped tar.",
    details:
      "The body is the archive itself, of any Content-Type and up to `build_max_mib` (512 MiB). At least 64 KiB must arrive in " +
      "every 10 seconds, and all of it within 30 minutes. The same bytes in the same game are the same build, with its first name. " +
      "A cloud token may do this if it may create versions with the process runtime.",
    query: object({
      display_name: Type.Optional(
        Type.String({ description: "1 to 128 bytes of UTF-8. By default the beginning of the SHA-256." }),
      ),
      sha256: Type.Optional(sha256("The SHA-256 of the archive: if other bytes arrive, they are refused.")),
    }),
    rawBody: true,
    reply: object({
      build_id: uuid("The build's id."),
      sha256: Type.String({ description: "The SHA-256 of the bytes that arrived." }),
      size: Type.Integer({ minimum: 0, description: "How many bytes arrived." }),
    }),
    errors: [
      "API_BAD_QUERY",
      "API_UNAVAILABLE",
      "TOKEN_FORBIDDEN",
      "CLOUD_GAME_NOT_FOUND",
      "CLOUD_VALIDATION_ERROR",
      "CLOUD_BUILD_INVALID",
      "CLOUD_QUOTA_REACHED",
    ],
  },
  "games.builds.listBuilds": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/builds",
    summary: "Lists the builds of a game, newest first.",
    query: Type.Object(
      { ...pageQuery.properties, sha256: Type.Optional(sha256("Only the build whose archive has this SHA-256.")) },
      { additionalProperties: false },
    ),
    reply: object({ builds: Type.Array(build), cursor }),
    errors: ["API_BAD_QUERY", "CLOUD_GAME_NOT_FOUND", "TOKEN_FORBIDDEN"],
  },
  "games.builds.getBuild": {
    ...cloud,
    method: "GET",
    path: "/cloud/games/{game_id}/builds/{build_id}",
    summary: "Returns a build, and which nodes have it. No operation returns its bytes.",
    reply: object({ build, nodes: Type.Array(buildOnNode) }),
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_BUILD_NOT_FOUND", "TOKEN_FORBIDDEN"],
  },
  "games.builds.deleteBuild": {
    ...cloud,
    method: "DELETE",
    path: "/cloud/games/{game_id}/builds/{build_id}",
    summary: "Deletes a build that no version names.",
    details: "Builds that no version has named for 7 days are deleted without this.",
    reply: null,
    errors: ["CLOUD_GAME_NOT_FOUND", "CLOUD_BUILD_NOT_FOUND", "CLOUD_BUILD_IN_USE", "TOKEN_FORBIDDEN"],
  },
} as const satisfies Record<string, Operation>;
