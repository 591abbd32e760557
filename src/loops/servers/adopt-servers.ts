import { pickLobbies } from "../../engine/pick-lobbies.ts";
import type { LobbyView } from "../../matchmaker/commands.ts";
import { describeMissedExit } from "../../runtime/how-it-ended.ts";
import { keptPart, readLastLines } from "./last-output.ts";
import type { Launch } from "./launch.ts";
import type { LobbyEnds } from "./lobby-ends.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";
import type { StopServer } from "./stop-server.ts";
import type { WaitForPorts } from "./wait-for-ports.ts";

/**
 * After a restart of the service: takes over the servers that still run, ends lobbies without a server, and stops
 * servers without a lobby.
 */
export async function adoptServers(
  parts: SuperviseParts,
  own: OwnServers,
  work: { ends: LobbyEnds; launch: Launch; stopServer: StopServer; waitForPorts: WaitForPorts },
): Promise<void> {
  const { engine, runtime, now, ownLobbies } = parts;
  for (const { namespaceId } of await engine.read({ type: "namespaces" })) {
    for await (const lobby of pickLobbies(engine, namespaceId, now, ownLobbies.picked)) {
      if (!lobby.isExternal) await adopt(parts, own, work, namespaceId, lobby);
    }
  }
  for (const lobbyId of await runtime.list()) if (!own.namespaceIds.has(lobbyId)) work.stopServer(lobbyId);
}

async function adopt(
  { engine, runtime, log, now, ownLobbies, portsText }: SuperviseParts,
  own: OwnServers,
  { ends, launch, waitForPorts }: { ends: LobbyEnds; launch: Launch; waitForPorts: WaitForPorts },
  namespaceId: string,
  lobby: LobbyView,
): Promise<void> {
  const { lobbyId } = lobby;
  own.namespaceIds.set(lobbyId, namespaceId);
  const ports = await runtime.adopt(lobbyId, namespaceId);
  if (!ports && ownLobbies.areGivenMeanwhile && lobby.ports === null) {
    // It was assigned to this node while the node was down.
    own.recording.add(launch(namespaceId, lobby));
  } else if (!ports) {
    log.warn({ lobby_id: lobbyId, namespace_id: namespaceId }, "a lobby's server ended while the service was down");
    const exit = runtime.exitOf(lobbyId);
    const output = await readLastLines(runtime, lobbyId);
    const facts = { wasReady: lobby.readyAt !== null, output };
    const end = { code: null, signal: null, ...exit, message: describeMissedExit(exit, facts), log: keptPart(output) };
    const reason = exit?.code === 0 && lobby.readyAt !== null ? "self" : "crashed";
    await ends.end(namespaceId, lobbyId, reason, end);
  } else if (lobby.ports === null) {
    // The service was killed after it started the server and before it recorded the ports.
    const { nodeId } = ownLobbies;
    const command = { type: "setPorts", namespaceId, lobbyId, ports: portsText(ports), nodeId } as const;
    await engine.execute({ ...command, now: now() });
  } else {
    waitForPorts(namespaceId, lobby);
  }
}
