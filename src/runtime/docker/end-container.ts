import type { LobbyExit } from "../runtime.ts";
import type { RunningContainer } from "./containers.ts";
import type { DockerParts } from "./docker-parts.ts";
import { removeContainer } from "./remove-container.ts";

const restOfLogsWithinMs = 5_000;

/** Handles the end of a container: the rest of its output first, so that listeners see its last words. */
export async function endContainer(
  parts: DockerParts,
  container: RunningContainer,
  exit: LobbyExit,
  isClosed: () => boolean,
): Promise<void> {
  if (container.isEnding || isClosed()) return;
  container.isEnding = true;
  const { records, exits, ports, containers } = parts;
  const { lobbyId } = container;
  await container.logs?.finish(restOfLogsWithinMs);
  if (isClosed()) return;
  exits.remember(lobbyId, exit);
  if (!container.isStopping) exits.report(lobbyId, exit);
  try {
    // Before the container is removed: it is the only one else who knows how it ended.
    const ended = { lobbyId, kind: "docker", pid: null, identity: null, ports: container.ports } as const;
    records.write({ ...ended, hasEnded: true, exit });
    await removeContainer(parts, lobbyId);
  } catch {
    // The disk is full or the engine went away: sync-containers.ts removes the container later.
  }
  ports.retire(container.ports);
  containers.remove(lobbyId);
  container.setEnded(exit);
}
