-- The lobby that a call is about, or why there is none: stopped ones are told apart for as long as they are remembered.
function foyer.livingLobby(lobbyId)
  local lobby = foyer.findLobby(lobbyId)
  if not lobby then return nil, foyer.refuse("LOBBY_NOT_FOUND") end
  if lobby.status == "stopped" then return nil, foyer.refuse("LOBBY_STOPPED") end
  return lobby
end
