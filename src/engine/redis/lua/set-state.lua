-- Keeps the text that a lobby says about itself; no index depends on it. Mirrors rules/set-state.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end

  foyer.patchLobby(lobby, { state = command.state or foyer.null })
  foyer.emitLobby("lobby.changed", lobby)
  return foyer.accept()
end)
