-- Chooses the node that runs a lobby's server; the first choice holds. Mirrors rules/place-lobby.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.nodeId == command.nodeId then return accept("0") end
  if lobby.nodeId then return refuse("ALREADY_PLACED") end

  patchLobby(lobby, { nodeId = command.nodeId })
  emitLobby("lobby.changed", lobby)
  return accept("1")
end)
