-- Seats a party in the best lobby, or makes one lobby for it, or refuses and changes nothing. Mirrors rules/find.ts.
return execute(function(command)
  if not isCurrent(command.revision) then return refuse("STALE_REVISION") end
  local earlier = replay(command.clientId, command.idempotency)
  if earlier then return earlier end
  local made, text = lobbyToMake()
  local lobby, toMake, refusal = decideFind(command, made)
  local explained = command.explain and gather(command, lobby)
  if refusal then
    refusal[3] = explained or nil
    return refusal
  end
  local wrong = faultOfIds(command.playerIds, toMake)
  if wrong then return wrong end

  local reply, seatedIn = seatParty(lobby or makeLobby(toMake, text), command, toMake ~= nil)
  reply[6] = explained or nil
  return reply, seatedIn
end)
