-- The lobby's own flag: closes or opens it to finds; one that is as it should be is left alone. Mirrors rules/set-closed.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.isClosed == command.isClosed then return foyer.accept("0") end

  foyer.changeClosing(lobby, { isClosed = command.isClosed })
  return foyer.accept("1")
end)
