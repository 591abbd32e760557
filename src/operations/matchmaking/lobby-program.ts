import { join } from "node:path";
import { NotUnpacked } from "../../builds/unpacked-builds.ts";
import type { ResolvedGameMode } from "../../contract/version-config.ts";
import { isUnavailable } from "../../ground/unavailable.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { LobbyNotStarted, type Program } from "../../runtime/runtime.ts";
import { findBuildById } from "../../store/builds.ts";
import { isInBuild } from "../cloud/version-builds.ts";
import type { Context } from "../context.ts";

type WithBuilds = Pick<Context, "db" | "builds">;

/** The program as it is on this machine: the build of its game mode, if it names one, is unpacked for it. */
export async function locateProgram(
  context: WithBuilds,
  program: Program,
  { mode, lobbyId }: { readonly mode: ResolvedGameMode; readonly lobbyId: string },
): Promise<Program> {
  const buildId = "process" in mode.runtime ? mode.runtime.process.build_id : null;
  if (program.kind !== "process" || buildId === null) return program;
  const folder = await prepareBuild(context, buildId);
  await context.builds.unpacked.noteUse(buildId, lobbyId);
  const { command, cwd } = program;
  return { ...program, command: isInBuild(command) ? join(folder, command) : command, cwd: join(folder, cwd ?? ".") };
}

/**
 * The build that a node must have before it gets the lobby; null: none. Nodes prepare the builds of deployed versions; for
 * a lobby of an earlier one, the node that gets the lobby fetches the build.
 */
export async function findNeededBuild(
  { configs }: Pick<Context, "configs">,
  namespaceId: string,
  lobby: Pick<LobbyView, "versionId" | "gameMode">,
): Promise<string | null> {
  try {
    const config = await configs.get(namespaceId);
    if (config?.version?.versionId !== lobby.versionId) return null;
    const mode = config.version.config.game_modes[lobby.gameMode];
    return mode && "process" in mode.runtime ? mode.runtime.process.build_id : null;
  } catch (error) {
    // The node that gets the lobby waits for the store.
    if (isUnavailable(error)) return null;
    throw error;
  }
}

/** Fetches, checks and unpacks the build, unless that is done already. Returns its folder. */
export async function prepareBuild({ db, builds }: WithBuilds, buildId: string): Promise<string> {
  const build = await findBuildById(db, buildId);
  if (build === null) throw new LobbyNotStarted("The build of its version was deleted.");
  try {
    return await builds.unpacked.prepare(build, () => builds.archive.read(buildId));
  } catch (error) {
    throw error instanceof NotUnpacked ? new LobbyNotStarted(error.message, { cause: error }) : error;
  }
}
