-- A lobby by its id, stopped ones as long as they are remembered.
return answer(function(query)
  local lobby = findLobby(query.lobbyId)
  return { "OK", lobby and viewLobby(lobby) or false }
end)
