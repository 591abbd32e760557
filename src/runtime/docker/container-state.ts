import { constants, platform } from "node:os";
import type { LobbyExit } from "../runtime.ts";
import { containerPath } from "./container-spec.ts";
import { type Engine, EngineRefusal } from "./engine.ts";

/** What the engine says about a container: it runs, was never started, has ended, or is not there. */
export type ContainerState =
  | { readonly status: "running" | "created" | "missing" }
  | { readonly status: "ended"; readonly exit: LobbyExit };

/** Rejects with an EngineAway when the engine cannot be asked. */
export async function readState(engine: Engine, lobbyId: string, memoryMib: number): Promise<ContainerState> {
  try {
    // The engine's API defines the shape.
    const { State } = (await engine.ask("GET", `${containerPath(lobbyId)}/json`)) as { State: EngineState };
    return toState(State, memoryMib);
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return { status: "missing" };
    throw error;
  }
}

/** The container's address in its own network; null: it has none that this machine can reach. */
export async function readAddress(engine: Engine, lobbyId: string): Promise<string | null> {
  if (platform() !== "linux") return null;
  // The engine's API defines the shape.
  const found = await engine.ask("GET", `${containerPath(lobbyId)}/json`).catch(() => null);
  const { NetworkSettings } = (found ?? {}) as { NetworkSettings?: { IPAddress?: string } };
  return NetworkSettings?.IPAddress || null;
}

interface EngineState {
  readonly Status: string;
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
}

function toState({ Status, ExitCode, OOMKilled }: EngineState, memoryMib: number): ContainerState {
  if (["created", "configured", "initialized"].includes(Status)) return { status: "created" };
  if (!["exited", "dead", "stopped"].includes(Status)) return { status: "running" };
  const exit = toExit(ExitCode);
  return { status: "ended", exit: OOMKilled && exit.code !== 0 ? { ...exit, isOutOfMemory: true, memoryMib } : exit };
}

/** An engine says 128 plus the number of the signal that ended a program, as a shell does. */
function toExit(code: number): LobbyExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}
