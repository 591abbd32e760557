-- What a find would do, without doing it.
return foyer.answer(function(query)
  if not foyer.isCurrent(query.revision) then return foyer.refuse("STALE_REVISION") end
  local lobby, _, refusal = foyer.decideFind(query)
  local explained = query.explain and foyer.gather(query, lobby) or nil
  if refusal then
    refusal[3] = explained
    return refusal
  end
  return { "OK", lobby and foyer.viewLobby(lobby) or false, explained }
end)
