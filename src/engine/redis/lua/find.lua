-- Seats a party in the best lobby, or makes one lobby for it, or refuses and changes nothing. Mirrors rules/find.ts.
return foyer.execute(function(command)
  if not foyer.isCurrent(command.revision) then return foyer.refuse("STALE_REVISION") end
  local earlier = foyer.replay(command.clientId, command.idempotency)
  if earlier then return earlier end
  local lobby, toMake, refusal = foyer.decideFind(command)
  -- A party in which a player has a seat already is refused before Foyer looks at any lobby.
  local isExplained = command.explain and (refusal or command.explain ~= "refusal") and not (refusal and refusal[4])
  local explained = isExplained and foyer.gather(command, lobby) or nil
  if refusal then
    if explained then refusal[3] = explained end
    return refusal
  end
  local wrong = foyer.checkNewIds(command, toMake)
  if wrong then return wrong end

  local reply, seatedIn = foyer.seatParty(lobby or foyer.makeLobby(toMake), command, toMake ~= nil)
  reply[6] = explained
  return reply, seatedIn
end, true)
