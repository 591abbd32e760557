import type { ChildProcess } from "node:child_process";
import type { LobbyExit, LobbyPorts } from "./runtime.ts";
import type { ServerSlots } from "./server-slots.ts";

/** A running process of a lobby. */
export interface RunningProcess {
  readonly lobbyId: string;
  readonly pid: number;
  readonly ports: LobbyPorts;
  /** Null: an earlier process of the service started it, so its end is noticed by polling. */
  readonly child: ChildProcess | null;
  /** See readIdentity; null as long as it is not known. */
  identity: string | null;
  isStopping: boolean;
  isEnding: boolean;
  readonly ended: Promise<LobbyExit>;
  setEnded(exit: LobbyExit): void;
  /** Kills the process if it does not end in time. */
  killTimer: NodeJS.Timeout | undefined;
}

export function createRunningProcess(
  started: Pick<RunningProcess, "lobbyId" | "pid" | "ports" | "child" | "identity">,
): RunningProcess {
  let setEnded: RunningProcess["setEnded"] = () => {};
  const ended = new Promise<LobbyExit>((resolveEnded) => {
    setEnded = resolveEnded;
  });
  return { ...started, isStopping: false, isEnding: false, ended, setEnded, killTimer: undefined };
}

/** The lobby processes of this machine. */
export interface ProcessTable {
  add(process: RunningProcess): void;
  remove(lobbyId: string): void;
  get(lobbyId: string): RunningProcess | undefined;
  all(): Iterable<RunningProcess>;
}

/** Each process takes a slot. */
export function createProcessTable(slots: ServerSlots): ProcessTable {
  const running = new Map<string, RunningProcess>();
  return {
    add(process) {
      running.set(process.lobbyId, process);
      slots.add(process.lobbyId);
    },
    remove(lobbyId) {
      running.delete(lobbyId);
      slots.remove(lobbyId);
    },
    get: (lobbyId) => running.get(lobbyId),
    all: () => running.values(),
  };
}
