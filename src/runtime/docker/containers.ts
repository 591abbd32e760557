import type { LobbyExit, LobbyPorts } from "../runtime.ts";
import type { ServerSlots } from "../server-slots.ts";
import type { LogFollower } from "./follow-logs.ts";

/** A container that runs, as far as Foyer knows. */
export interface RunningContainer {
  readonly lobbyId: string;
  readonly ports: LobbyPorts;
  readonly memoryMib: number;
  logs: LogFollower | null;
  isStopping: boolean;
  isEnding: boolean;
  readonly ended: Promise<LobbyExit>;
  setEnded(exit: LobbyExit): void;
}

export function createRunningContainer(
  started: Pick<RunningContainer, "lobbyId" | "ports" | "memoryMib">,
): RunningContainer {
  let setEnded: RunningContainer["setEnded"] = () => {};
  const ended = new Promise<LobbyExit>((resolveEnded) => {
    setEnded = resolveEnded;
  });
  return { ...started, logs: null, isStopping: false, isEnding: false, ended, setEnded };
}

/** The containers of this machine's lobbies. Each takes a slot. */
export interface Containers {
  add(container: RunningContainer): void;
  remove(lobbyId: string): void;
  get(lobbyId: string): RunningContainer | undefined;
  all(): RunningContainer[];
}

export function createContainers(slots: ServerSlots): Containers {
  const running = new Map<string, RunningContainer>();
  return {
    add(container) {
      running.set(container.lobbyId, container);
      slots.add(container.lobbyId);
    },
    remove(lobbyId) {
      running.delete(lobbyId);
      slots.remove(lobbyId);
    },
    get: (lobbyId) => running.get(lobbyId),
    all: () => [...running.values()],
  };
}
