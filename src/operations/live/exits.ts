import type { LobbyView } from "../../matchmaker/commands.ts";
import { describeExit } from "../../runtime/how-it-ended.ts";
import type { LobbyExit } from "../../runtime/runtime.ts";
import { listPastExits } from "../../store/lobby-history.ts";
import type { Context } from "../context.ts";
import { type ExitDetails, exitOf } from "./exit-details.ts";

/**
 * How the processes of these lobbies ended, by lobby; those of which it is not known are left out. The process of a lobby
 * that was stopped ends after it, so the lobby itself does not know how: this machine may, and the history does on every
 * node as soon as it is written down.
 */
export async function exitsOf(
  { db, lobbyServers }: Context,
  namespaceId: string,
  lobbies: readonly LobbyView[],
): Promise<Map<string, ExitDetails>> {
  const exits = new Map<string, ExitDetails>();
  const unknown: string[] = [];
  for (const lobby of lobbies) {
    const exit = exitOf(lobby) ?? (isUnexplained(lobby) ? inWords(lobby, lobbyServers.exitOf(lobby.lobbyId)) : null);
    if (exit) exits.set(lobby.lobbyId, exit);
    else if (isUnexplained(lobby)) unknown.push(lobby.lobbyId);
  }
  for (const { lobbyId, code, signal, message } of await listPastExits(db, namespaceId, unknown)) {
    exits.set(lobbyId, { code, signal, ...(message !== null && { message }) });
  }
  return exits;
}

/** The same of one lobby; between the end of its process and its writing down the node that ran it is asked. */
export async function exitOfOne(context: Context, namespaceId: string, lobby: LobbyView): Promise<ExitDetails | null> {
  const known = (await exitsOf(context, namespaceId, [lobby])).get(lobby.lobbyId);
  if (known || !isUnexplained(lobby)) return known ?? null;
  return inWords(lobby, await context.lobbyServers.askExit(lobby));
}

function isUnexplained(lobby: LobbyView): boolean {
  return lobby.status === "stopped" && lobby.exit === null && !lobby.isExternal;
}

function inWords(lobby: LobbyView, exit: LobbyExit | null): ExitDetails | null {
  if (!exit || (exit.code === null && exit.signal === null)) return null;
  return { ...exit, message: describeExit(exit, lobby.readyAt !== null) };
}
