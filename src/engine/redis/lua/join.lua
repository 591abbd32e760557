-- Seats a party in one lobby by its id: closed, private, silent and outdated ones take direct joins, and stay what they
-- are. Mirrors rules/join.ts.
return execute(function(command)
  if not isCurrent(command.revision) then return refuse("STALE_REVISION") end
  local earlier = replay(command.clientId, command.idempotency)
  if earlier then return earlier end
  local lobby, refusal = livingLobby(command.lobbyId)
  if refusal then return refusal end
  if not lobby.isJoinable then return refuse("JOIN_DISABLED") end
  local seats = #command.playerIds
  local clientRefusal = refuseClient(command.clientId, seats)
  if clientRefusal then return clientRefusal end
  local cap = math.min(lobby.maxPlayersDirect, namespace.maxPlayers)
  if takenSeats(lobby) + seats > cap then return refuse("LOBBY_FULL") end
  local wrong = faultOfIds(command.playerIds)
  if wrong then return wrong end

  return seatParty(lobby, command, false)
end)
