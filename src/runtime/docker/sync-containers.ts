import { lobbyLabel, ownerLabel } from "./container-spec.ts";
import { type ContainerState, readState } from "./container-state.ts";
import type { RunningContainer } from "./containers.ts";
import type { DockerParts } from "./docker-parts.ts";
import { removeContainer } from "./remove-container.ts";

/** What is done with a container that does not run. */
export type OnNotRunning = (container: RunningContainer, state: ContainerState) => Promise<void>;

interface ListedContainer {
  readonly State: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/**
 * Compares the containers with what the engine says: handles those that have ended, also while the service was down, and
 * removes those that no lobby needs. Rejects when the engine cannot be asked, and then decides nothing.
 */
export async function syncContainers(parts: DockerParts, onNotRunning: OnNotRunning): Promise<void> {
  const { engine, containers, slots, owner } = parts;
  const filters = JSON.stringify({ label: [`${ownerLabel}=${owner.id()}`] });
  // The engine's API defines the shape.
  const listed = (await engine.ask("GET", "/containers/json", {
    query: { all: "true", filters },
  })) as ListedContainer[];
  const running = new Set(
    listed.flatMap(({ State, Labels }) => (State === "running" ? [Labels[lobbyLabel] ?? ""] : [])),
  );
  for (const container of containers.all()) {
    if (!running.has(container.lobbyId)) await checkContainer(parts, container, onNotRunning);
  }
  for (const { Labels } of listed) {
    const lobbyId = Labels[lobbyLabel];
    if (lobbyId !== undefined && !slots.isRunning(lobbyId)) await removeContainer(parts, lobbyId);
  }
}

/** Asks the engine about one container. */
export async function checkContainer(
  { engine }: DockerParts,
  container: RunningContainer,
  onNotRunning: OnNotRunning,
): Promise<void> {
  if (container.isEnding) return;
  const state = await readState(engine, container.lobbyId, container.memoryMib);
  if (state.status !== "running") await onNotRunning(container, state);
}
