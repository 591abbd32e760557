import { createLogGuard, type LogGuard } from "./log-guard.ts";
import { createLobbyFolders, type LobbyFolders } from "./process-folders.ts";
import { createProcessTable, type ProcessTable } from "./process-table.ts";
import { findLobbyUser, type LobbyUser } from "./process-user.ts";
import type { ServerParts } from "./server-parts.ts";

export interface ProcessOptions {
  /** False: nothing is started, but the processes of an earlier service are watched and stopped. */
  readonly isEnabled: boolean;
  /** What a version's `cwd` is relative to. */
  readonly lobbyRoot: string;
  /** Null: lobbies run as the user that runs the service. */
  readonly user: string | null;
}

/** What the driver knows about its processes, in memory and on disk. */
export interface ProcessParts extends ServerParts {
  readonly lobbyRoot: string;
  readonly user: LobbyUser;
  readonly folders: LobbyFolders;
  readonly table: ProcessTable;
  readonly guard: LogGuard;
}

export async function openProcessParts(shared: ServerParts, options: ProcessOptions): Promise<ProcessParts> {
  const user = await findLobbyUser(options.user);
  const folders = await createLobbyFolders(shared.options.dataDir, user);
  const table = createProcessTable(shared.slots);
  const guard = createLogGuard(shared.options.logMaxBytes, shared.logs.rotate);
  return { ...shared, lobbyRoot: options.lobbyRoot, user, folders, table, guard };
}
