import { describeExit } from "../../runtime/how-it-ended.ts";
import type { LobbyExit } from "../../runtime/runtime.ts";
import type { Failures } from "./failures.ts";
import { keptPart, readLastLines } from "./last-output.ts";
import type { LobbyEnds } from "./lobby-ends.ts";
import type { OwnServers } from "./own-servers.ts";
import type { SuperviseParts } from "./parts.ts";

/**
 * Ends the lobby of a server that ended without being asked to. A ready server that exits with code 0 has finished its
 * game.
 */
export function createHandleExit(
  { engine, runtime, log, now, showsLines }: SuperviseParts,
  own: OwnServers,
  { ends, failures }: { ends: LobbyEnds; failures: Failures },
): (namespaceId: string, lobbyId: string, exit: LobbyExit) => Promise<void> {
  return async (namespaceId, lobbyId, exit) => {
    const lobby = await ends.persist(() => engine.read({ type: "lobby", namespaceId, lobbyId, now: now() }));
    if (!lobby || lobby.status === "stopped") return;
    if (lobby.nodeId !== null && !own.isOwn(lobby)) return;
    const output = await readLastLines(runtime, lobbyId);
    const facts = { wasReady: lobby.readyAt !== null, output };
    const message = describeExit(exit, facts);
    const end = { ...exit, message, log: keptPart(output) };
    if (exit.code === 0 && lobby.readyAt !== null) return ends.end(namespaceId, lobbyId, "self", end);
    log[showsLines ? "debug" : "warn"](
      { lobby_id: lobbyId, namespace_id: namespaceId, ...end },
      "a lobby's process ended by itself",
    );
    failures.note(lobby, message);
    await ends.end(namespaceId, lobbyId, "crashed", end);
  };
}
