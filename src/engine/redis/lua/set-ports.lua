-- Keeps where players reach a lobby; no index depends on it. Mirrors rules/set-ports.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end

  patchLobby(lobby, { ports = command.ports })
  emitLobby("lobby.changed", lobby)
  return accept()
end)
