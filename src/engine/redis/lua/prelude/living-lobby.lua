-- The lobby of a call, or a refusal: stopped lobbies have their own code for as long as they are kept.
function foyer.livingLobby(lobbyId)
  local lobby = foyer.findLobby(lobbyId)
  if not lobby or foyer.namespace.removedAt then return nil, foyer.refuse("LOBBY_NOT_FOUND") end
  if lobby.status == "stopped" then return nil, foyer.refuse("LOBBY_STOPPED") end
  return lobby
end
