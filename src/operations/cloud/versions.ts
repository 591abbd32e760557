import type { Config } from "../../config/config.ts";
import type { ResolvedVersionConfig, VersionConfig } from "../../contract/version-config.ts";
import { listKnownBuilds } from "../../store/builds.ts";
import type { Game } from "../../store/games.ts";
import { findVersion, insertVersion, listVersions } from "../../store/versions.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Issue, isRefusal, type Refusal, refuse } from "../refusal.ts";
import { checkContainersAllowed, checkMayRunContainers } from "./docker-runtime.ts";
import { gameNotFound, lookUpGame, quotaReached, versionNotFound } from "./lookup.ts";
import { checkDisplayName } from "./names.ts";
import { cutPage, isUuid, parsePage, toTimestamp } from "./pagination.ts";
import { checkProcessTrust } from "./process-trust.ts";
import { removeVersion } from "./remove-version.ts";
import { listBuildIds } from "./version-builds.ts";
import { checkVersionConfig, needsProcessRuntime, versionDefaults, warnOfVersion } from "./version-document.ts";

export function versionOperations(context: Context) {
  const { db } = context;

  return {
    "games.versions.createGameVersion": async ({ params, caller, body, record }) => {
      const game = await lookUpGame(db, params);
      const known = await findKnownBuilds(context, game, body.config);
      const { displayName, issues, resolved } = checkVersion(body, context.config, known);
      if (issues.length > 0 || !resolved) {
        return refuse("CLOUD_VALIDATION_ERROR", "The version is invalid; see `errors`.", { errors: issues });
      }
      const untrusted = needsProcessRuntime(resolved) ? checkProcessTrust(context.config, caller) : null;
      const refusal = untrusted ?? checkMayRunContainers(caller, resolved, context.config);
      if (refusal) return refusal;
      if (isRefusal(game)) return game;

      const version = {
        versionId: context.newId(),
        gameId: game.gameId,
        displayName,
        createTs: context.now(),
        config: JSON.stringify(body.config),
        defaults: versionDefaults,
      };
      const { maxVersionsPerGame: versionsMax } = context.config;
      const uses = listBuildIds(body.config).map((buildId) => ({ useId: context.newId(), buildId }));
      const inserted = await insertVersion(record({ target: version.versionId }), version, { versionsMax, uses });
      if (inserted === "GAME_NOT_FOUND") return gameNotFound(params.game_id);
      if (inserted === "BUILD_NOT_FOUND") {
        const { issues: late } = checkVersion(body, context.config, await findKnownBuilds(context, game, body.config));
        return refuse("CLOUD_VALIDATION_ERROR", "The version is invalid; see `errors`.", { errors: late });
      }
      if (inserted === "TOO_MANY") return quotaReached("game", versionsMax, "versions", "max_versions_per_game");
      return { version_id: version.versionId };
    },

    "games.versions.validateGameVersion": async ({ params, body }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const known = await findKnownBuilds(context, game, body.config);
      const { issues, resolved } = checkVersion(body, context.config, known);
      const warnings = resolved ? warnOfVersion(resolved) : [];
      return { errors: issues, ...(warnings.length > 0 && { warnings }) };
    },

    "games.versions.listGameVersions": async ({ params, query }) => {
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const { rows, more } = cutPage(await listVersions(db, game.gameId, page), page, (row) => row.versionId);
      return { versions: rows.map(toVersionSummary), ...more };
    },

    "games.versions.getGameVersion": async ({ params }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const versionId = params.version_id.toLowerCase();
      const version = isUuid(versionId) ? await findVersion(db, game.gameId, versionId) : null;
      if (!version) return versionNotFound(params.version_id);
      const config = JSON.parse(version.config) as VersionConfig;
      return { version: { ...toVersionSummary(version), config } };
    },

    "games.versions.deleteGameVersion": async ({ params, record }) => {
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const versionId = params.version_id.toLowerCase();
      const version = isUuid(versionId) ? await findVersion(db, game.gameId, versionId) : null;
      return version ? removeVersion(context, version, record) : versionNotFound(params.version_id);
    },
  } satisfies Partial<Handlers>;
}

/** Those of the builds that the document names which the game has. */
async function findKnownBuilds(
  { db }: Context,
  game: Game | Refusal,
  config: Record<string, unknown>,
): Promise<ReadonlySet<string>> {
  // An unknown game is reported after the issues of the document, and nothing is said about its builds.
  if (isRefusal(game)) return new Set(listBuildIds(config));
  return listKnownBuilds(db.query, game.gameId, listBuildIds(config));
}

function checkVersion(
  body: { display_name: string; config: Record<string, unknown> },
  config: Config,
  knownBuilds: ReadonlySet<string>,
) {
  const display = checkDisplayName(body.display_name);
  const { issues, resolved } = checkVersionConfig(body.config, knownBuilds);
  const notAllowed = resolved
    ? [...checkRuntimesAllowed(resolved, config.runtimes), ...checkContainersAllowed(resolved, config)]
    : [];
  const all = [...(display.issue ? [display.issue] : []), ...issues, ...notAllowed];
  return { displayName: display.value, issues: all, resolved };
}

/** A version that could never run here is refused when it is created, not when the first player arrives. */
function checkRuntimesAllowed(resolved: ResolvedVersionConfig, runtimes: readonly string[]): Issue[] {
  return Object.entries(resolved.game_modes).flatMap(([name, { runtime }]) => {
    const [kind = ""] = Object.keys(runtime);
    if (runtimes.includes(kind)) return [];
    const message = `is not allowed by this service: FOYER_RUNTIMES is ${runtimes.join(",")}`;
    return [{ path: ["config", "game_modes", name, "runtime", kind, "disabled"], message }];
  });
}

function toVersionSummary(version: { versionId: string; displayName: string; createTs: number }) {
  return {
    version_id: version.versionId,
    display_name: version.displayName,
    create_ts: toTimestamp(version.createTs),
  };
}
