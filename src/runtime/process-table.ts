import type { ChildProcess } from "node:child_process";
import type { Holdings } from "../ground/shares.ts";
import type { LobbyExit, LobbyPorts } from "./runtime.ts";

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

/** Which lobbies have a process on this machine or are about to get one, and for which namespaces they count. */
export interface ProcessTable {
  /** The lobby counts from now on, although it has no process yet. */
  addStarting(lobbyId: string, namespaceId: string): void;
  /** The lobby has a process now, or does not count. */
  removeStarting(lobbyId: string): void;
  add(process: RunningProcess): void;
  remove(lobbyId: string): void;
  /** Sets the namespace of a process. For a process of an earlier service it is known when the process is adopted. */
  claim(lobbyId: string, namespaceId: string): void;
  get(lobbyId: string): RunningProcess | undefined;
  all(): Iterable<RunningProcess>;
  isRunning(lobbyId: string): boolean;
  /** How many processes run or are about to start. */
  count(): number;
}

/** `holdings` counts the processes of each namespace. */
export function createProcessTable(holdings: Holdings, now: () => number): ProcessTable {
  const running = new Map<string, RunningProcess>();
  /** A lobby is in this map or in `running`, never in both, so that it counts once. */
  const starting = new Set<string>();
  const namespaceIds = new Map<string, string>();

  const isRunning = (lobbyId: string) => running.has(lobbyId) || starting.has(lobbyId);

  function claim(lobbyId: string, namespaceId: string): void {
    if (namespaceIds.has(lobbyId)) return;
    namespaceIds.set(lobbyId, namespaceId);
    holdings.add(namespaceId, now());
  }

  function unclaim(lobbyId: string): void {
    const namespaceId = namespaceIds.get(lobbyId);
    if (namespaceId === undefined || isRunning(lobbyId)) return;
    namespaceIds.delete(lobbyId);
    holdings.remove(namespaceId, now());
  }

  return {
    addStarting(lobbyId, namespaceId) {
      starting.add(lobbyId);
      claim(lobbyId, namespaceId);
    },
    removeStarting(lobbyId) {
      starting.delete(lobbyId);
      unclaim(lobbyId);
    },
    add(process) {
      starting.delete(process.lobbyId);
      running.set(process.lobbyId, process);
    },
    remove(lobbyId) {
      running.delete(lobbyId);
      unclaim(lobbyId);
    },
    claim,
    get: (lobbyId) => running.get(lobbyId),
    all: () => running.values(),
    isRunning,
    count: () => running.size + starting.size,
  };
}
