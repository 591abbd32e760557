/** Names of an operation's request and answer where its id alone says too little, or says the same as another. */
const chosen: Readonly<Record<string, string>> = {
  "lobbies.find": "Find",
  "lobbies.join": "Join",
  "lobbies.create": "Create",
  "lobbies.register": "Register",
  "lobbies.heartbeat": "Heartbeat",
  "games.tokens.listTokens": "ListCloudTokens",
  "games.tokens.revokeToken": "RevokeCloudToken",
  "games.namespaces.blocks.set": "SetBlock",
  "games.namespaces.lobbies.list": "ListOperatorLobbies",
  "games.namespaces.lobbies.get": "GetOperatorLobby",
  "games.namespaces.lobbies.getLogs": "GetLobbyLogs",
  "games.namespaces.lobbies.history": "LobbyHistory",
  "games.namespaces.lobbies.setClosed": "SetOperatorClosed",
};

/** `games.namespaces.createGameNamespace` is CreateGameNamespace, `regions.list` is ListRegions. */
export function operationName(id: string): string {
  if (chosen[id] !== undefined) return chosen[id];
  const [last = "", before = ""] = id.split(".").reverse();
  return /[A-Z]/.test(last) ? capitalize(last) : capitalize(last) + capitalize(before);
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
