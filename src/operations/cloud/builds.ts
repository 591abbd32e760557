import { type Build, deleteBuild, findBuild, findBuildBySha256, listBuilds } from "../../store/builds.ts";
import type { Context } from "../context.ts";
import type { Handlers } from "../handlers.ts";
import { isRefusal, refuse } from "../refusal.ts";
import { listBuildNodes } from "./build-nodes.ts";
import { keepBuild } from "./keep-build.ts";
import { buildNotFound, lookUpGame } from "./lookup.ts";
import { checkDisplayName } from "./names.ts";
import { cutPage, isUuid, parsePage, toTimestamp } from "./pagination.ts";
import { checkProcessTrust } from "./process-trust.ts";
import { receiveBuild } from "./receive-build.ts";

export function buildOperations(context: Context) {
  const { db, config, builds } = context;

  return {
    "games.builds.createBuild": async ({ params, query, caller, body, record }) => {
      const untrusted = checkProcessTrust(config, caller);
      if (untrusted) return untrusted;
      const display = query.display_name === undefined ? null : checkDisplayName(query.display_name);
      if (display?.issue) {
        return refuse("CLOUD_VALIDATION_ERROR", "The build is invalid; see `errors`.", { errors: [display.issue] });
      }
      // Before the body, which may be large.
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;

      const received = await receiveBuild(context, body, query.sha256?.toLowerCase() ?? null);
      if (isRefusal(received)) return received;
      try {
        const displayName = display?.value ?? received.sha256.slice(0, shownHashLength);
        const kept = await keepBuild(context, { gameId: game.gameId, displayName, received }, record);
        if (isRefusal(kept)) return kept;
        return { build_id: kept, sha256: received.sha256, size: received.size };
      } finally {
        await received.discard();
      }
    },

    "games.builds.listBuilds": async ({ params, query, caller }) => {
      const untrusted = checkProcessTrust(config, caller);
      if (untrusted) return untrusted;
      const page = parsePage(query);
      if (isRefusal(page)) return page;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      if (query.sha256 !== undefined) {
        const build = await findBuildBySha256(db, game.gameId, query.sha256.toLowerCase());
        return { builds: build && (page.after === null || build.buildId < page.after) ? [toBuildReply(build)] : [] };
      }
      const { rows, more } = cutPage(await listBuilds(db, game.gameId, page), page, (row) => row.buildId);
      return { builds: rows.map(toBuildReply), ...more };
    },

    "games.builds.getBuild": async ({ params, caller }) => {
      const untrusted = checkProcessTrust(config, caller);
      if (untrusted) return untrusted;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const buildId = params.build_id.toLowerCase();
      const build = isUuid(buildId) ? await findBuild(db, game.gameId, buildId) : null;
      if (!build) return buildNotFound(params.build_id);
      return { build: toBuildReply(build), nodes: await listBuildNodes(context, buildId) };
    },

    "games.builds.deleteBuild": async ({ params, caller, record }) => {
      const untrusted = checkProcessTrust(config, caller);
      if (untrusted) return untrusted;
      const game = await lookUpGame(db, params);
      if (isRefusal(game)) return game;
      const buildId = params.build_id.toLowerCase();
      if (!isUuid(buildId)) return buildNotFound(params.build_id);
      const outcome = await deleteBuild(record(), { gameId: game.gameId, buildId });
      if (outcome === "BUILD_NOT_FOUND") return buildNotFound(params.build_id);
      if (outcome === "IN_USE") {
        return refuse("CLOUD_BUILD_IN_USE", `A version names the build ${buildId}. Delete that version first.`);
      }
      // What stays behind now is a leftover, which the next sweep removes.
      await builds.archive.remove(buildId).catch(() => undefined);
      return null;
    },
  } satisfies Partial<Handlers>;
}

const shownHashLength = 12;

function toBuildReply({ buildId, displayName, sha256, size, createTs }: Build) {
  return { build_id: buildId, display_name: displayName, sha256, size, create_ts: toTimestamp(createTs) };
}
