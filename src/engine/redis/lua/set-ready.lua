-- The first time, a lobby becomes ready and the clocks of its reserved seats start; after that nothing changes.
-- Mirrors rules/set-ready.ts.
return foyer.execute(function(command)
  local lobby, refusal = foyer.livingLobby(command.lobbyId)
  if refusal then return refusal end
  local isElsewhere = lobby.nodeId ~= nil and lobby.nodeId ~= (command.nodeId or lobby.nodeId)
  if isElsewhere then return foyer.refuse("ALREADY_PLACED") end
  local waitsFor = command.waitsFor
  if lobby.status == "ready" then return foyer.accept("0") end
  if waitsFor then
    if lobby.waitsFor == waitsFor then return foyer.accept("0") end
    foyer.patchLobby(lobby, { waitsFor = waitsFor })
    foyer.emitLobby("lobby.changed", lobby)
    return foyer.accept("1")
  end
  foyer.changeLobby(lobby, { status = "ready", readyAt = foyer.namespace.now, waitsFor = foyer.null })
  foyer.emitLobby("lobby.ready", lobby)
  return foyer.accept("1")
end)
