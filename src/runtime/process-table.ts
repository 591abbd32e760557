import type { ChildProcess } from "node:child_process";
import type { Holdings } from "../ground/shares.ts";
import type { LobbyExit, LobbyPorts } from "./runtime.ts";

/** A lobby's process that runs. */
export interface RunningProcess {
  readonly lobbyId: string;
  readonly pid: number;
  readonly ports: LobbyPorts;
  /** Null: an earlier process of the service started it, so its end is noticed by looking. */
  readonly child: ChildProcess | null;
  /** See readIdentity; null as long as it is not known. */
  identity: string | null;
  isStopping: boolean;
  isEnding: boolean;
  readonly gone: Promise<LobbyExit>;
  setGone(exit: LobbyExit): void;
  /** Ends it when it does not end by itself in time. */
  killTimer: NodeJS.Timeout | undefined;
}

export function createRunningProcess(
  started: Pick<RunningProcess, "lobbyId" | "pid" | "ports" | "child" | "identity">,
): RunningProcess {
  let setGone: RunningProcess["setGone"] = () => {};
  const gone = new Promise<LobbyExit>((resolveGone) => {
    setGone = resolveGone;
  });
  return { ...started, isStopping: false, isEnding: false, gone, setGone, killTimer: undefined };
}

/** Which lobbies have a process on this machine or are about to, and for which namespaces they count. */
export interface ProcessTable {
  /** The lobby counts from now on, although it has no process yet. */
  addStarting(lobbyId: string, namespaceId: string): void;
  /** The lobby has a process now, or does not count. */
  removeStarting(lobbyId: string): void;
  add(process: RunningProcess): void;
  remove(lobbyId: string): void;
  /** Says whose process it is. Of one that an earlier service started this is known when it is adopted. */
  claim(lobbyId: string, namespaceId: string): void;
  get(lobbyId: string): RunningProcess | undefined;
  all(): Iterable<RunningProcess>;
  isRunning(lobbyId: string): boolean;
  /** How many run or are about to. */
  count(): number;
}

/** `holdings` learns which namespaces the processes belong to. */
export function createProcessTable(holdings: Holdings, now: () => number): ProcessTable {
  const running = new Map<string, RunningProcess>();
  /** A lobby is in here or running, never both, so that it counts once. */
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
