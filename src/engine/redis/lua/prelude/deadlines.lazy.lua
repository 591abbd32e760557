-- One of the oldest idle lobbies, as many as the game mode wants kept.
function foyer.isKept(lobby)
  local pool = foyer.poolOf(lobby.pool)
  local idleMin = foyer.idleMinOf(pool)
  if idleMin == 0 or not foyer.isIdle(lobby) then return false end
  local rank = call("ZRANK", foyer.idleKey(pool), foyer.ageOf(lobby))
  return rank and rank < idleMin
end
