function foyer.poolKey(versionId, gameMode, region) return versionId .. " " .. gameMode .. " " .. region end

function foyer.idleMinimum(gameMode, region)
  return tonumber(call("HGET", foyer.minimumsKey, gameMode .. " " .. region)) or 0
end

-- How many idle lobbies are kept; 0 unless deployed.
function foyer.idleMinOf(pool)
  if not pool.idleMin then pool.idleMin = foyer.isDeployed(pool) and foyer.idleMinimum(pool.gameMode, pool.region) or 0 end
  return pool.idleMin
end

function foyer.poolCount(pool, field)
  return (tonumber(call("HGET", foyer.countsKey(pool), field)) or 0) + (pool.counted and pool.counted[field] or 0)
end

function foyer.addToGroup(pool, tagKey, lobby)
  pool.lastFit = nil
  local size = foyer.sizeOf(lobby)
  call("ZADD", foyer.sizedKey(pool, tagKey, size), -foyer.takenSeats(lobby), foyer.ageOf(lobby))
  call("HINCRBY", foyer.groupKey(pool, tagKey), size, 1)
end

function foyer.removeFromGroup(pool, tagKey, lobby)
  pool.lastFit = nil
  foyer.unordered[lobby.id] = nil
  local size = foyer.sizeOf(lobby)
  foyer.drop(foyer.sizedKey(pool, tagKey, size), foyer.ageOf(lobby))
  if call("HINCRBY", foyer.groupKey(pool, tagKey), size, -1) == 0 then call("HDEL", foyer.groupKey(pool, tagKey), size) end
end

function foyer.addToIdle(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if lobby.readyAt then call("ZADD", foyer.idleKey(pool), 0, foyer.ageOf(lobby)) else foyer.countInPool(pool, "idleStarting", 1) end
end

function foyer.removeFromIdle(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if lobby.readyAt then foyer.drop(foyer.idleKey(pool), foyer.ageOf(lobby)) else foyer.countInPool(pool, "idleStarting", -1) end
end

function foyer.addToPool(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if foyer.isRoutable(lobby) then
    foyer.addToGroup(pool, "", lobby)
    for _, tagKey in ipairs(foyer.tagKeysOf(lobby)) do foyer.addToGroup(pool, tagKey, lobby) end
  elseif foyer.isLiving(lobby) then
    if lobby.isPrivate then foyer.countInPool(pool, "private", 1) else call("ZADD", foyer.barredKey(pool), 0, foyer.ageOf(lobby)) end
  end
  if foyer.isIdle(lobby) then foyer.addToIdle(lobby) end
  if foyer.isListed(lobby) then call("ZADD", foyer.listedKey(pool), 0, lobby.id) end
end

-- Must see the lobby exactly as addToPool saw it.
function foyer.removeFromPool(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if foyer.isRoutable(lobby) then
    foyer.removeFromGroup(pool, "", lobby)
    for _, tagKey in ipairs(foyer.tagKeysOf(lobby)) do foyer.removeFromGroup(pool, tagKey, lobby) end
  elseif foyer.isLiving(lobby) then
    if lobby.isPrivate then foyer.countInPool(pool, "private", -1) else foyer.drop(foyer.barredKey(pool), foyer.ageOf(lobby)) end
  end
  if foyer.isIdle(lobby) then foyer.removeFromIdle(lobby) end
  if foyer.isListed(lobby) then foyer.drop(foyer.listedKey(pool), lobby.id) end
end
