import { join } from "node:path";
import type { Holdings } from "../ground/shares.ts";
import { createExits, type Exits } from "./exits.ts";
import { createProcessLogs, type ProcessLogs } from "./process-logs.ts";
import { createPorts, type PortRange, type Ports } from "./process-ports.ts";
import { createProcessRecords, type ProcessRecords } from "./process-records.ts";
import { LobbyNotStarted } from "./runtime.ts";
import { createServerSlots, type ServerSlots } from "./server-slots.ts";

export interface ServerOptions {
  readonly dataDir: string;
  /** Under which name players reach the machine. */
  readonly hostname: string;
  readonly ports: PortRange;
  /** The address that servers listen on: `0.0.0.0` is all of them. */
  readonly bind: string;
  /** The most servers of all drivers together. */
  readonly processesMax: number;
  readonly stopGraceMs: number;
  /** Per stream; the previous file may have the same size. */
  readonly logMaxBytes: number;
  now(): number;
  /** Counts the servers of each namespace. */
  readonly holdings: Holdings;
}

/** What the drivers of this machine share: a port, a slot and a folder for logs belong to one lobby, whatever runs it. */
export interface ServerParts {
  readonly options: ServerOptions;
  readonly records: ProcessRecords;
  readonly logs: ProcessLogs;
  readonly ports: Ports;
  readonly slots: ServerSlots;
  readonly exits: Exits;
}

/** Throws when the machine runs as many servers as it may. */
export function checkRoom({ slots, options: { processesMax } }: ServerParts): void {
  if (slots.count() < processesMax) return;
  const message = `This machine runs ${processesMax} lobbies, the maximum. Raise FOYER_MAX_LOBBY_PROCESSES to allow more.`;
  throw new LobbyNotStarted(message, { isShortage: true });
}

export function openServerParts(options: ServerOptions): ServerParts {
  const records = createProcessRecords(join(options.dataDir, "lobbies"));
  return {
    options,
    records,
    logs: createProcessLogs(records.folderPath, options.logMaxBytes),
    ports: createPorts(options.ports, process.pid, options.bind),
    slots: createServerSlots(options.holdings, options.now),
    exits: createExits(),
  };
}
