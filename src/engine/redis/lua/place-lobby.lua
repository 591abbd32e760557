-- Chooses the node that runs a lobby's server; the first choice holds. Mirrors rules/place-lobby.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.nodeId == command.nodeId then return foyer.accept("0") end
  local mayMove = lobby.nodeId == command.insteadOf and lobby.status == "starting"
  if lobby.nodeId and not mayMove then return foyer.refuse("ALREADY_PLACED") end

  foyer.giveToNode(lobby, command.nodeId)
  foyer.emitLobby("lobby.changed", lobby)
  return foyer.accept("1")
end)
