-- A lobby by its id, stopped ones as long as they are remembered.
return foyer.answer(function(query)
  local lobby = not foyer.namespace.removedAt and foyer.findLobby(query.lobbyId)
  return { "OK", lobby and foyer.viewLobby(lobby) or false }
end)
