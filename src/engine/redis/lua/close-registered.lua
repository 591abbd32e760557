-- Of the lobbies after a place, those that a server token registered are closed or stopped. Mirrors rules/close-registered.ts.
return foyer.execute(function(command)
  local from = command.after and "(" .. command.after or "-"
  local ids = call("ZRANGE", foyer.lobbiesKey, from, "+", "BYLEX", "LIMIT", 0, $lobbiesPerStepMax)
  for _, id in ipairs(ids) do
    -- Most lobbies are not meant, and one field is read faster than all of them.
    local isMeant = call("HGET", foyer.lobbyKey(id), "registeredBy") == command.tokenId
    local lobby = isMeant and foyer.findLobby(id)
    if lobby and foyer.isLiving(lobby) then
      if command.action == "stop" then foyer.endLobby(lobby, "operator")
      elseif not lobby.operatorClose then foyer.changeClosing(lobby, { operatorClose = "token_revoked" }) end
    end
  end
  return foyer.accept(#ids == $lobbiesPerStepMax and ids[#ids] or "")
end)
