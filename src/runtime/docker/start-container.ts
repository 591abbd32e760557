import { cpus } from "node:os";
import { shortLine } from "../../ground/plain-line.ts";
import { isUnavailable } from "../../ground/unavailable.ts";
import { announcePorts } from "../announce-ports.ts";
import { type DockerProgram, LobbyNotStarted, type LobbyPorts, type LobbyToStart } from "../runtime.ts";
import { checkRoom } from "../server-parts.ts";
import { containerName, containerPath, describeContainer, limitProgram } from "./container-spec.ts";
import { createRunningContainer, type RunningContainer } from "./containers.ts";
import type { DockerParts } from "./docker-parts.ts";
import { EngineAway, EngineRefusal } from "./engine.ts";
import type { ResolveImage } from "./images.ts";
import { forAtMost, whileAway } from "./patience.ts";
import { removeContainer } from "./remove-container.ts";

type DockerLobby = LobbyToStart<DockerProgram>;
/** Called with the container as soon as it runs. */
type OnStarted = (container: RunningContainer) => void;

/** Creates and starts the container of a lobby. If that fails, it cleans up everything. */
export async function startContainer(
  parts: DockerParts,
  given: DockerLobby,
  resolveImage: ResolveImage,
  onStarted: OnStarted,
): Promise<LobbyPorts> {
  const { slots, ports, records, docker } = parts;
  const { lobbyId } = given;
  const lobby = { ...given, program: limitProgram(given.program, docker.maxima, cpus().length) };
  const issue = docker.findImageIssue(lobby.program.image);
  if (issue !== null) throw new LobbyNotStarted(`The image ${lobby.program.image} ${issue}`);
  checkRoom(parts);
  slots.addStarting(lobbyId, lobby.namespaceId);
  try {
    const imageId = await resolveImage(lobby.program);
    const chosen = await ports.take(lobby.ports);
    try {
      return await launch(parts, lobby, { imageId, chosen }, onStarted);
    } catch (error) {
      // An engine that does not answer now is asked again later: see sync-containers.ts.
      await removeContainer(parts, lobbyId).catch(() => undefined);
      ports.release(Object.values(chosen));
      records.write({ lobbyId, kind: "docker", pid: null, identity: null, ports: {}, hasEnded: true });
      throw error;
    }
  } catch (error) {
    throw toNotStarted(error, parts);
  } finally {
    slots.removeStarting(lobbyId);
  }
}

/**
 * The record comes first, so that after a kill the next service finds the container. The engine may go away before it
 * answers: whether it had created the container by then shows at the next attempt, since the name is the same.
 */
async function launch(
  parts: DockerParts,
  lobby: DockerLobby,
  { imageId, chosen }: { readonly imageId: string; readonly chosen: Readonly<Record<string, number>> },
  onStarted: OnStarted,
): Promise<LobbyPorts> {
  const { options, records, logs, engine, docker, containers, owner } = parts;
  const { lobbyId } = lobby;
  const { memoryMib } = lobby.program;
  const ports = announcePorts(options.hostname, lobby, chosen);
  logs.open(lobbyId).close();
  records.write({ lobbyId, kind: "docker", memoryMib, pid: null, identity: null, ports, hasEnded: false });
  const { bind, logMaxBytes } = options;
  const choice = { imageId, owner: owner.id(), nodeId: docker.nodeId, ports: chosen, bind, logMaxBytes };
  const body = describeContainer(lobby, choice);
  const mayGoOn = forAtMost(docker.waitMs);
  await whileAway(() => create(parts, lobbyId, body), docker.backoff, mayGoOn);
  await whileAway(() => engine.ask("POST", `${containerPath(lobbyId)}/start`), docker.backoff, mayGoOn);
  const container = createRunningContainer({ lobbyId, ports, memoryMib });
  containers.add(container);
  onStarted(container);
  return ports;
}

async function create({ engine }: DockerParts, lobbyId: string, body: unknown): Promise<void> {
  try {
    await engine.ask("POST", "/containers/create", { query: { name: containerName(lobbyId) }, body });
  } catch (error) {
    // An earlier attempt whose answer was lost has created it: no other lobby has this id.
    if (error instanceof EngineRefusal && error.status === 409) return;
    // Podman says so in words only.
    if (error instanceof EngineRefusal && /name .* is in use/.test(error.message)) return;
    throw error;
  }
}

const reasonMax = 300;

function toNotStarted(error: unknown, { docker }: DockerParts): unknown {
  if (error instanceof EngineAway) {
    const message = `The container engine did not answer for ${docker.waitMs / 1000} s. Check that it runs and that Foyer may use its socket (FOYER_DOCKER_SOCKET).`;
    return new LobbyNotStarted(message, { cause: error, isShortage: true });
  }
  if (isUnavailable(error)) {
    const message = "The data store could not be reached, so it is not known which image the version runs.";
    return new LobbyNotStarted(message, { cause: error, isShortage: true });
  }
  if (!(error instanceof EngineRefusal)) return error;
  if (/port is already allocated|address already in use/i.test(error.message)) {
    const message = "Another program took a port of the lobby while its container was started.";
    return new LobbyNotStarted(message, { cause: error, isShortage: true });
  }
  const reason = shortLine(error.message, reasonMax).replace(/\.$/, "");
  const message = `The container engine could not start the container: ${reason || "it gave no reason"} (status ${error.status}).`;
  return new LobbyNotStarted(message, { cause: error });
}
