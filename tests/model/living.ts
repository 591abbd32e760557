import type { Refusal, RefusalCode } from "../../src/matchmaker/commands.ts";
import { isLiving, lobbyOf, type Model, type ModelLobby } from "./model.ts";

export const refuse = (code: RefusalCode): Refusal => ({ ok: false, code });

/** A lobby's own call: a stopped one is refused while it is remembered. */
export function onLiving<C extends { readonly lobbyId: string }, O>(
  rule: (model: Model, lobby: ModelLobby, command: C) => O,
) {
  return (model: Model, command: C): O | Refusal => {
    const lobby = lobbyOf(model, command.lobbyId);
    if (lobby === undefined) return refuse("LOBBY_NOT_FOUND");
    return isLiving(lobby) ? rule(model, lobby, command) : refuse("LOBBY_STOPPED");
  };
}
