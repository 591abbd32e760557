-- Keeps where players reach a lobby; no index depends on it. Mirrors rules/set-ports.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  local isElsewhere = lobby.nodeId ~= nil and lobby.nodeId ~= (command.nodeId or lobby.nodeId)
  if isElsewhere then return foyer.refuse("ALREADY_PLACED") end

  foyer.patchLobby(lobby, { ports = command.ports })
  foyer.emitLobby("lobby.changed", lobby)
  return foyer.accept()
end)
