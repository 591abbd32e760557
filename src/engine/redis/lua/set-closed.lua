-- Closes or opens a lobby to finds; one that is as it should be is left alone. Mirrors rules/set-closed.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.isClosed == command.isClosed then return accept("0") end

  changeLobby(lobby, { isClosed = command.isClosed })
  emitLobby(command.isClosed and "lobby.closed" or "lobby.opened", lobby)
  return accept("1")
end)
