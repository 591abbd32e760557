-- Seats a party in the best lobby, or makes one lobby for it, or refuses and changes nothing. Mirrors rules/find.ts.
return foyer.execute(function(command)
  if not foyer.isCurrent(command.revision) then return foyer.refuse("STALE_REVISION") end
  local earlier = foyer.replay(command.clientId, command.idempotency)
  if earlier then return earlier end
  local lobby, toMake, refusal = foyer.decideFind(command)
  local isExplained = command.explain and (refusal or command.explain ~= "refusal")
  local explained = isExplained and foyer.gather(command, lobby)
  if refusal then
    refusal[3] = explained or nil
    return refusal
  end
  local wrong = foyer.checkNewIds(command.playerIds, toMake)
  if wrong then return wrong end

  local reply, seatedIn = foyer.seatParty(lobby or foyer.makeLobby(toMake), command, toMake ~= nil)
  reply[6] = explained or nil
  return reply, seatedIn
end, true)
