-- Ends a lobby, once, and its seats with it. Mirrors rules/stop-lobby.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end

  endLobby(lobby, command.reason, command.exit)
  return accept()
end)
