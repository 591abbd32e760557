-- Ends a lobby, once, and its seats with it. Mirrors rules/stop-lobby.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end

  foyer.endLobby(lobby, command.reason, command.exit)
  return foyer.accept()
end)
