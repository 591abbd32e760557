import type { LobbyView } from "../../matchmaker/commands.ts";
import type { LobbyExit } from "../../runtime/runtime.ts";
import { listPastExits } from "../../store/lobby-history.ts";
import type { Context } from "../context.ts";
import { type ExitDetails, readExit } from "./exit-details.ts";
import { describeStop } from "./stop-message.ts";

/**
 * How the processes of these lobbies ended, by lobby; unknown ones are omitted. The process of a stopped lobby ends
 * after the lobby, so the lobby itself does not contain its exit: this machine may know it, and the history has it on
 * every node as soon as it is saved.
 */
export async function listExits(
  { db, lobbyServers }: Context,
  namespaceId: string,
  lobbies: readonly LobbyView[],
): Promise<Map<string, ExitDetails>> {
  const exits = new Map<string, ExitDetails>();
  const unknown: string[] = [];
  for (const lobby of lobbies) {
    const exit = readExit(lobby) ?? (isUnexplained(lobby) ? inWords(lobby, lobbyServers.exitOf(lobby.lobbyId)) : null);
    if (exit) exits.set(lobby.lobbyId, exit);
    else if (isUnexplained(lobby)) unknown.push(lobby.lobbyId);
  }
  for (const { lobbyId, code, signal, message } of await listPastExits(db, namespaceId, unknown)) {
    exits.set(lobbyId, { code, signal, ...(message !== null && { message }) });
  }
  return exits;
}

/** The same for one lobby; if the history does not have the exit yet, asks the node that ran the lobby. */
export async function readOneExit(
  context: Context,
  namespaceId: string,
  lobby: LobbyView,
): Promise<ExitDetails | null> {
  const known = (await listExits(context, namespaceId, [lobby])).get(lobby.lobbyId);
  if (known || !isUnexplained(lobby)) return known ?? null;
  return inWords(lobby, await context.lobbyServers.askExit(lobby));
}

function isUnexplained(lobby: LobbyView): boolean {
  return lobby.status === "stopped" && lobby.exit === null && !lobby.isExternal;
}

function inWords(lobby: LobbyView, exit: LobbyExit | null): ExitDetails | null {
  if (!exit || (exit.code === null && exit.signal === null)) return null;
  const message = describeStop(lobby);
  return { ...exit, ...(message !== null && { message }) };
}
