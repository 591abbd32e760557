-- Keeps the text that a lobby says about itself; no index depends on it. Mirrors rules/set-state.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end

  patchLobby(lobby, { state = command.state or null })
  emitLobby("lobby.changed", lobby)
  return accept()
end)
