-- The first time, a lobby becomes ready and the clocks of its reserved seats start; after that nothing changes.
-- Mirrors rules/set-ready.ts.
return execute(function(command)
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.status == "ready" then return accept("0") end

  changeLobby(lobby, { status = "ready", readyAt = namespace.now })
  emitLobby("lobby.ready", lobby)
  return accept("1")
end)
