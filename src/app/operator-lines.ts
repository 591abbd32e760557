import { type TerminalLines, writeLines } from "../loops/terminal-lines.ts";
import { type LobbyWarnings, warnAboutLobbies } from "../loops/warn.ts";
import type { Context } from "../operations/context.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { findGame } from "../store/games.ts";
import { listDeployedVersions } from "../store/namespaces.ts";
import type { Ground, Mode } from "./mode.ts";

/** What the operator reads of lobbies: warnings in every log, and lines on a terminal. */

export function openWarnings(ground: Ground, mode: Mode, context: Context, runtime: Runtime): LobbyWarnings {
  const { engine, now } = context;
  return warnAboutLobbies({ engine, runtime, log: ground.log, now, ...listenAs(mode, context) });
}

export async function openLines({ log }: Ground, mode: Mode, context: Context): Promise<TerminalLines> {
  const { db, configs, engine, now } = context;
  return writeLines({
    ...{ engine, log, now, ...listenAs(mode, context) },
    deployed: new Map((await listDeployedVersions(db)).map(({ namespaceId, versionId }) => [namespaceId, versionId])),
    async nameNamespace(namespaceId) {
      const namespace = await configs.identity(namespaceId).catch(() => null);
      const game = namespace && (await findGame(db, namespace.gameId).catch(() => null));
      return namespace && game ? `${game.nameId}/${namespace.nameId}` : namespaceId;
    },
    async nameVersion(namespaceId, versionId) {
      const namespace = await configs.identity(namespaceId);
      const version = namespace && (await configs.version(namespace.gameId, versionId));
      return version?.displayName ?? versionId;
    },
  });
}

/** Which lobbies this node speaks about. */
function listenAs(mode: Mode, { nodes }: Context) {
  return { ownLobbies: mode.ownLobbies(), hasLease: () => nodes.lease() !== null };
}
