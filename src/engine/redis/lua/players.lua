-- The taken seats of a lobby, by id; whoever shows them puts them into order.
return answer(function(query)
  local lobby = findLobby(query.lobbyId)
  local seats = {}
  if not lobby then return { "OK", seats } end
  for _, id in ipairs(call("ZRANGE", seatedKey(lobby.id), 0, -1)) do
    local player = findPlayer(id)
    local dueAt = player.status == "reserved" and playerDueAt(player, lobby) or never
    seats[#seats + 1] = {
      id, player.clientId, player.status, tostring(player.reservedAt), tostring(player.connectedAt or ""),
      dueAt == never and "" or tostring(dueAt),
    }
  end
  return { "OK", seats }
end)
