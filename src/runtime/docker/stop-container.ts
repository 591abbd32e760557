import { setTimeout as sleep } from "node:timers/promises";
import type { LobbyExit } from "../runtime.ts";
import { containerPath } from "./container-spec.ts";
import type { RunningContainer } from "./containers.ts";
import type { DockerParts } from "./docker-parts.ts";
import { EngineRefusal } from "./engine.ts";
import { whileAway, within } from "./patience.ts";

/**
 * Asks the container to end, and kills it after the grace period. Rejects when the engine does not answer for too long;
 * the container is then stopped as soon as the engine answers again.
 */
export async function stopContainer(
  parts: DockerParts,
  container: RunningContainer,
  work: { check(lobbyId: string): void; isClosed(): boolean },
): Promise<LobbyExit> {
  const { stopGraceMs } = parts.options;
  const { waitMs } = parts.docker;
  if (!container.isStopping && !container.isEnding) {
    container.isStopping = true;
    void stop(parts, container, work);
  }
  const message = "The container engine does not answer. Foyer stops the container as soon as it does.";
  return within(container.ended, stopGraceMs + waitMs, message);
}

async function stop(
  { engine, docker, options }: DockerParts,
  container: RunningContainer,
  { check, isClosed }: { check(lobbyId: string): void; isClosed(): boolean },
): Promise<void> {
  const { lobbyId } = container;
  const mayGoOn = () => !isClosed() && !container.isEnding;
  const signal = async (name: string) => {
    const query = { signal: name };
    try {
      await whileAway(() => engine.ask("POST", `${containerPath(lobbyId)}/kill`, { query }), docker.backoff, mayGoOn);
    } catch (error) {
      // It no longer runs, which the check will see. Everything else is tried again by the next signal.
      if (error instanceof EngineRefusal) check(lobbyId);
    }
  };
  await signal("SIGTERM");
  await Promise.race([container.ended, sleep(options.stopGraceMs, undefined, { ref: false })]);
  if (mayGoOn()) await signal("SIGKILL");
}
