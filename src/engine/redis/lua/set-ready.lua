-- The first time, a lobby becomes ready and the clocks of its reserved seats start; after that nothing changes.
-- Mirrors rules/set-ready.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  if lobby.status == "ready" then return foyer.accept("0") end

  foyer.changeLobby(lobby, { status = "ready", readyAt = foyer.namespace.now })
  foyer.emitLobby("lobby.ready", lobby)
  return foyer.accept("1")
end)
