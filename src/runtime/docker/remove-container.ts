import { containerPath } from "./container-spec.ts";
import type { DockerParts } from "./docker-parts.ts";
import { EngineRefusal } from "./engine.ts";

/** Removes a container with what its image stored beside it, also one that runs. One that is not there is no error. */
export async function removeContainer({ engine }: Pick<DockerParts, "engine">, lobbyId: string): Promise<void> {
  try {
    await engine.ask("DELETE", containerPath(lobbyId), { query: { force: "true", v: "true" } });
  } catch (error) {
    // 409: it is being removed already.
    if (error instanceof EngineRefusal && (error.status === 404 || error.status === 409)) return;
    throw error;
  }
}
