-- The indexes of a pool, mirrored from pools.ts. Only state.lua adds and removes; rules only search.
function foyer.poolOf(key)
  return foyer.pools[key] or foyer.poolAt(string.match(key, "^(%S+) (%S+) (%S+)$"))
end

function foyer.poolAt(versionId, gameMode, region)
  local key = versionId .. " " .. gameMode .. " " .. region
  local pool = foyer.pools[key]
  if not pool then
    pool = { key = key, versionId = versionId, gameMode = gameMode, region = region, counted = nil, idleMin = nil }
    foyer.pools[key] = pool
  end
  return pool
end

function foyer.isDeployed(pool)
  return foyer.namespace.deployedVersionId ~= nil and foyer.namespace.deployedVersionId == pool.versionId
end

-- Counts are written at the end, together: lobbies, taken seats, idle ones that start, private ones.
function foyer.countInPool(pool, field, by)
  local counted = pool.counted or {}
  pool.counted = counted
  counted[field] = (counted[field] or 0) + by
end

function foyer.writePools()
  for _, pool in pairs(foyer.pools) do
    for field, by in pairs(pool.counted or {}) do
      if by ~= 0 then
        local left = call("HINCRBY", foyer.countsKey(pool), field, by)
        if left == 0 then call("HDEL", foyer.countsKey(pool), field) end
        if field == "lobbies" and left == 0 then call("ZREM", foyer.poolsKey, pool.key) end
        if field == "lobbies" and left == by then call("ZADD", foyer.poolsKey, 0, pool.key) end
      end
    end
    pool.counted = nil
  end
end

-- Lobbies of one size have one maximum, so the best fit among them is the first one below it.
function foyer.sizeOf(lobby)
  return (lobby.readyAt and "r" or "s") .. lobby.maxPlayers
end

-- Of all that depends on the seats taken only the order within the groups changes besides being idle.
function foyer.reorderInGroups(lobby)
  if not foyer.isRoutable(lobby) then return end
  local pool = foyer.poolOf(lobby.pool)
  if pool.lastFit and pool.lastFit ~= lobby then pool.lastFit = nil end
  foyer.unordered[lobby.id] = lobby
  foyer.isPostponed = true
end

function foyer.orderInGroups(lobby)
  local pool, size = foyer.poolOf(lobby.pool), foyer.sizeOf(lobby)
  local score, age = -foyer.takenSeats(lobby), foyer.ageOf(lobby)
  call("ZADD", foyer.sizedKey(pool, "", size), score, age)
  if not lobby.tagKeys then return end
  for _, tagKey in ipairs(foyer.tagKeysOf(lobby)) do call("ZADD", foyer.sizedKey(pool, tagKey, size), score, age) end
end
