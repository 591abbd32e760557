-- The operator's flag, beside the lobby's own. One that is set keeps the reason for which it was set first.
-- Mirrors rules/set-closed.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  if (lobby.operatorClose ~= nil) == command.isClosed then return foyer.accept("0") end

  foyer.changeClosing(lobby, { operatorClose = command.isClosed and "operator" or foyer.null })
  return foyer.accept("1")
end)
