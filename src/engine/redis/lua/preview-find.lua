-- What a find would do, without doing it.
return answer(function(query)
  if not isCurrent(query.revision) then return refuse("STALE_REVISION") end
  local made = lobbyToMake()
  local lobby, _, refusal = decideFind(query, made)
  local explained = query.explain and gather(query, lobby) or nil
  if refusal then
    refusal[3] = explained
    return refusal
  end
  return { "OK", lobby and viewLobby(lobby) or false, explained }
end)
