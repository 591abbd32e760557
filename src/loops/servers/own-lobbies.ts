import type { LobbyEvent, LobbyView } from "../../matchmaker/commands.ts";

/** Which lobbies this node runs, and which event starts one. */
export interface OwnLobbies {
  readonly nodeId: string;
  isOwn(lobby: LobbyView): boolean;
  /** Picks lobbies among which are all of its own. */
  readonly picked: { readonly nodeId?: string };
  /** The event that makes a waiting lobby one that this node starts. */
  readonly startedBy: LobbyEvent["type"];
  /** Lobbies may become its own while it is down. */
  readonly areGivenMeanwhile: boolean;
}

/** For a single node: it runs every lobby, as soon as the lobby is created. */
export function everyLobby(nodeId: string): OwnLobbies {
  return { nodeId, isOwn: () => true, picked: {}, startedBy: "lobby.created", areGivenMeanwhile: false };
}

/** For one of several nodes: it runs the lobbies that are assigned to it, which is a change of the lobby. */
export function lobbiesPlacedOn(nodeId: string): OwnLobbies {
  const isOwn = (lobby: LobbyView) => lobby.nodeId === nodeId;
  return { nodeId, isOwn, picked: { nodeId }, startedBy: "lobby.changed", areGivenMeanwhile: true };
}
