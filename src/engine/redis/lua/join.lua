-- Seats a party in one lobby by its id or code: closed, private, silent and outdated ones take direct joins, and stay what they
-- are. Mirrors rules/join.ts.
return foyer.execute(function(command)
  if not foyer.isCurrent(command.revision) then return foyer.refuse("STALE_REVISION") end
  local earlier = foyer.replay(command.clientId, command.idempotency)
  if earlier then return earlier end
  local lobby, refusal = foyer.livingLobby(command.lobbyId or call("HGET", foyer.codesKey, command.code) or "")
  if refusal then return refusal end
  if not lobby.isJoinable and command.clientId ~= "" then return foyer.refuse("JOIN_DISABLED") end
  if command.keys and command.clientId ~= "" and not lobby.takesOpenKeys then return foyer.refuse("KEY_NOT_VOUCHED") end
  local seated = command.keys and foyer.refuseSeated(command.clientId, command.keys)
  if seated then return seated end
  local seats = #command.playerIds
  local clientRefusal = foyer.refuseClient(command.clientId, seats)
  if clientRefusal then return clientRefusal end
  local cap = math.min(lobby.maxPlayersDirect, foyer.namespace.maxPlayers)
  if foyer.takenSeats(lobby) + seats > cap then return foyer.refuse("LOBBY_FULL") end
  local wrong = foyer.checkNewIds(command)
  if wrong then return wrong end

  return foyer.seatParty(lobby, command, false)
end, true)
