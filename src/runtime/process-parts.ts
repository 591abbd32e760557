import { join } from "node:path";
import type { Holdings } from "../ground/shares.ts";
import { createLobbyFolders, type LobbyFolders } from "./process-folders.ts";
import { createProcessLogs, type ProcessLogs } from "./process-logs.ts";
import { createPorts, type PortRange, type Ports } from "./process-ports.ts";
import { createProcessRecords, type ProcessRecords } from "./process-records.ts";
import { createProcessTable, type ProcessTable } from "./process-table.ts";
import { findLobbyUser, type LobbyUser } from "./process-user.ts";

export interface ProcessOptions {
  readonly dataDir: string;
  /** What a version's `cwd` is relative to. */
  readonly lobbyRoot: string;
  /** Under which name players reach the machine. */
  readonly hostname: string;
  readonly ports: PortRange;
  readonly processesMax: number;
  readonly stopGraceMs: number;
  /** Per stream; the previous file may have the same size. */
  readonly logMaxBytes: number;
  /** Null: lobbies run as the user that runs the service. */
  readonly user: string | null;
  now(): number;
  /** Counts the processes of each namespace. */
  readonly holdings: Holdings;
}

/** What the driver knows about its processes, in memory and on disk. */
export interface ProcessParts {
  readonly options: ProcessOptions;
  readonly user: LobbyUser;
  readonly records: ProcessRecords;
  readonly logs: ProcessLogs;
  readonly folders: LobbyFolders;
  readonly ports: Ports;
  readonly table: ProcessTable;
}

export async function openProcessParts(options: ProcessOptions): Promise<ProcessParts> {
  const user = await findLobbyUser(options.user);
  const records = createProcessRecords(join(options.dataDir, "lobbies"));
  const logs = createProcessLogs(records.folderPath);
  const folders = await createLobbyFolders(options.dataDir, user);
  const ports = createPorts(options.ports, process.pid);
  const table = createProcessTable(options.holdings, options.now);
  return { options, user, records, logs, folders, ports, table };
}
