import type { ResolvedVersionConfig, VersionConfig } from "../../contract/version-config.ts";
import { findVersion, insertVersion, listVersions } from "../../store/versions.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { type Issue, isRefusal, refuse } from "../refusal.ts";
import { gameNotFound, lookUpGame, quotaReached, versionNotFound } from "./lookup.ts";
import { checkDisplayName } from "./names.ts";
import { cutPage, isUuid, parsePage, toTimestamp } from "./pagination.ts";
import { removeVersion } from "./remove-version.ts";
import { checkVersionConfig, needsProcessRuntime, versionDefaults } from "./version-document.ts";

export function versionOperations(context: Context) {
  const { db } = context;

  return {
    "games.versions.createGameVersion": async ({ params, caller, body, record }) => {
      const { displayName, issues, resolved } = checkVersion(body, context.config.runtimes);
      if (issues.length > 0 || !resolved) {
        return refuse("CLOUD_VALIDATION_ERROR", "The version is invalid; see `errors`.", { errors: issues });
      }
      if (caller.kind === "cloud" && context.config.processTrust !== "cloud" && needsProcessRuntime(resolved)) {
        const message =
          "A version with the process runtime runs programs on the service's machine and needs the admin token (or FOYER_PROCESS_TRUST=cloud).";
        return refuse("TOKEN_FORBIDDEN", message);
      }
      const game = await lookUpGame(db, params);
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
      const inserted = await insertVersion(record({ target: version.versionId }), version, { versionsMax });
      if (inserted === "GAME_NOT_FOUND") return gameNotFound(params.game_id);
      if (inserted === "TOO_MANY") return quotaReached("game", versionsMax, "versions", "max_versions_per_game");
      return { version_id: version.versionId };
    },

    "games.versions.validateGameVersion": async ({ params, body }) => {
      const game = await lookUpGame(db, params);
      return isRefusal(game) ? game : { errors: checkVersion(body, context.config.runtimes).issues };
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

function checkVersion(body: { display_name: string; config: Record<string, unknown> }, runtimes: readonly string[]) {
  const display = checkDisplayName(body.display_name);
  const { issues, resolved } = checkVersionConfig(body.config);
  const all = [...(display.issue ? [display.issue] : []), ...issues, ...checkRuntimesAllowed(resolved, runtimes)];
  return { displayName: display.value, issues: all, resolved };
}

/** A version that could never run here is refused when it is created, not when the first player arrives. */
function checkRuntimesAllowed(resolved: ResolvedVersionConfig | null, runtimes: readonly string[]): Issue[] {
  return Object.entries(resolved?.game_modes ?? {}).flatMap(([name, { runtime }]) => {
    const kind = "process" in runtime ? "process" : "external";
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
