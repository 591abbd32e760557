-- What a find would do, without doing it.
return foyer.answer(function(query)
  if not foyer.isCurrent(query.revision) then return foyer.refuse("STALE_REVISION") end
  local lobby, _, refusal = foyer.decideFind(query)
  local isSeated = refusal and refusal[4]
  local explained = query.explain and not isSeated and foyer.gather(query, lobby) or nil
  if refusal then
    if explained then refusal[3] = explained end
    return refusal
  end
  return { "OK", lobby and foyer.viewLobby(lobby) or false, explained }
end)
