-- Closes or opens a lobby to finds; one that is as it should be is left alone. Mirrors rules/set-closed.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.isClosed == command.isClosed then return foyer.accept("0") end

  foyer.changeLobby(lobby, { isClosed = command.isClosed })
  foyer.emitLobby(command.isClosed and "lobby.closed" or "lobby.opened", lobby)
  return foyer.accept("1")
end)
