import { signalGroup, waitForGroupEnd } from "./process-group.ts";
import type { ProcessParts } from "./process-parts.ts";
import { listPortNumbers } from "./process-ports.ts";
import type { RunningProcess } from "./process-table.ts";
import type { LobbyExit } from "./runtime.ts";

/** Handles the ends of lobby processes, and remembers how the latest ones ended. */
export interface ProcessEnds {
  /**
   * The process itself has ended. Listeners are called immediately; the ports are free when its whole group has ended.
   */
  end(process: RunningProcess, exit: LobbyExit): Promise<void>;
  /** How a process ended that ran recently; null: it still runs, or its end is not known. */
  lastExit(lobbyId: string): LobbyExit | null;
  /** Remembers the end of a process of an earlier service. */
  remember(lobbyId: string, exit: LobbyExit): void;
  /** The listener is called for every process that ends without having been asked to. */
  onExit(listener: (lobbyId: string, exit: LobbyExit) => void): void;
  /** From now on the files on disk belong to the next process of the service. */
  close(): void;
}

const exitsKeptMax = 1_000;

export function createProcessEnds({ options, ports, folders, records, table }: ProcessParts): ProcessEnds {
  const listeners: ((lobbyId: string, exit: LobbyExit) => void)[] = [];
  /** The latest exits, oldest first. */
  const exits = new Map<string, LobbyExit>();
  let isClosed = false;

  function remember(lobbyId: string, exit: LobbyExit): void {
    exits.set(lobbyId, exit);
    for (const oldest of exits.keys()) {
      if (exits.size <= exitsKeptMax) return;
      exits.delete(oldest);
    }
  }

  async function endGroup({ lobbyId, pid, isStopping }: RunningProcess, exit: LobbyExit): Promise<void> {
    if (!isStopping) {
      for (const listener of listeners) listener(lobbyId, exit);
      signalGroup(pid, "SIGKILL", "group");
    }
    await waitForGroupEnd(pid, options.stopGraceMs);
  }

  /** Removes the process from the table even if the disk is full. */
  async function cleanUp({ lobbyId, identity, ports: lobbyPorts }: RunningProcess, exit: LobbyExit): Promise<void> {
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
      ports.release(listPortNumbers(process.ports));
      await cleanUp(process, exit);
      remember(lobbyId, exit);
      table.remove(lobbyId);
      process.setEnded(exit);
    },
    lastExit: (lobbyId) => exits.get(lobbyId) ?? null,
    remember,
    onExit(listener) {
      listeners.push(listener);
    },
    close() {
      isClosed = true;
    },
  };
}
