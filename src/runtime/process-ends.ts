import { signalGroup, waitForGroupEnd } from "./process-group.ts";
import type { ProcessParts } from "./process-parts.ts";
import type { RunningProcess } from "./process-table.ts";
import type { LobbyExit } from "./runtime.ts";

/** Handles the ends of lobby processes. */
export interface ProcessEnds {
  /**
   * The process itself has ended. Listeners are called immediately; the ports are free when its whole group has ended.
   */
  end(process: RunningProcess, exit: LobbyExit): Promise<void>;
  /** From now on the files on disk belong to the next process of the service. */
  close(): void;
}

export function createProcessEnds(parts: ProcessParts): ProcessEnds {
  const { options, ports, folders, records, table, exits, logs, guard } = parts;
  let isClosed = false;

  async function endGroup({ lobbyId, pid, isStopping }: RunningProcess, exit: LobbyExit): Promise<void> {
    if (!isStopping) {
      exits.report(lobbyId, exit);
      signalGroup(pid, "SIGKILL", "group");
    }
    await waitForGroupEnd(pid, options.stopGraceMs);
  }

  /** Removes the process from the table even if the disk is full. */
  async function cleanUp({ lobbyId, identity, ports: lobbyPorts }: RunningProcess, exit: LobbyExit): Promise<void> {
    guard.forget(lobbyId);
    // It may have written on after the last look.
    if (!isClosed) await logs.rotate(lobbyId).catch(() => undefined);
    if (!isClosed) await folders.remove(lobbyId);
    if (isClosed) return;
    try {
      records.write({ lobbyId, pid: null, identity, ports: lobbyPorts, hasEnded: true, exit });
    } catch {
      // The next process of the service notices that the process has ended.
    }
  }

  return {
    async end(process, exit) {
      if (process.isEnding) return;
      process.isEnding = true;
      const { lobbyId } = process;
      if (!isClosed) await endGroup(process, exit);
      ports.retire(process.ports);
      await cleanUp(process, exit);
      exits.remember(lobbyId, exit);
      table.remove(lobbyId);
      process.setEnded(exit);
    },
    close() {
      isClosed = true;
    },
  };
}
