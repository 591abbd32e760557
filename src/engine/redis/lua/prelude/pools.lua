-- The indexes of a pool, mirrored from pools.ts. Only state.lua adds and removes; rules only search.
local pools = {}

local function poolOf(key)
  local pool = pools[key]
  if not pool then
    local versionId, gameMode, region = string.match(key, "^(%S+) (%S+) (%S+)$")
    pool = { key = key, versionId = versionId, gameMode = gameMode, region = region, counted = {} }
    pools[key] = pool
  end
  return pool
end

local function poolKey(versionId, gameMode, region) return versionId .. " " .. gameMode .. " " .. region end

local function isDeployed(pool)
  return namespace.deployedVersionId ~= nil and namespace.deployedVersionId == pool.versionId
end

local function idleMinimum(gameMode, region)
  return tonumber(call("HGET", minimumsKey, gameMode .. " " .. region)) or 0
end

-- How many idle lobbies are kept; 0 unless deployed.
local function idleMinOf(pool)
  if not pool.idleMin then pool.idleMin = isDeployed(pool) and idleMinimum(pool.gameMode, pool.region) or 0 end
  return pool.idleMin
end

-- Counts are written at the end, together: lobbies, taken seats, idle ones that start, private ones.
local function countInPool(pool, field, by)
  pool.counted[field] = (pool.counted[field] or 0) + by
end

local function poolCount(pool, field)
  return (tonumber(call("HGET", countsKey(pool), field)) or 0) + (pool.counted[field] or 0)
end

local function writePools()
  for _, pool in pairs(pools) do
    for field, by in pairs(pool.counted) do
      if by ~= 0 then
        local left = call("HINCRBY", countsKey(pool), field, by)
        if left == 0 then call("HDEL", countsKey(pool), field) end
        if field == "lobbies" and left == 0 then call("ZREM", poolsKey, pool.key) end
        if field == "lobbies" and left == by then call("ZADD", poolsKey, 0, pool.key) end
      end
    end
    pool.counted = {}
  end
end

-- Lobbies of one size have one maximum, so the best fit among them is the first one below it.
local function sizeOf(lobby)
  return (lobby.readyAt and "r" or "s") .. lobby.maxPlayers
end

local function addToGroup(pool, tagKey, lobby)
  local size = sizeOf(lobby)
  call("ZADD", sizedKey(pool, tagKey, size), -takenSeats(lobby), ageOf(lobby))
  call("HINCRBY", groupKey(pool, tagKey), size, 1)
end

local function removeFromGroup(pool, tagKey, lobby)
  local size = sizeOf(lobby)
  call("ZREM", sizedKey(pool, tagKey, size), ageOf(lobby))
  if call("HINCRBY", groupKey(pool, tagKey), size, -1) == 0 then call("HDEL", groupKey(pool, tagKey), size) end
end

local function addToIdle(lobby)
  local pool = poolOf(lobby.pool)
  if lobby.readyAt then call("ZADD", idleKey(pool), 0, ageOf(lobby)) else countInPool(pool, "idleStarting", 1) end
end

local function removeFromIdle(lobby)
  local pool = poolOf(lobby.pool)
  if lobby.readyAt then call("ZREM", idleKey(pool), ageOf(lobby)) else countInPool(pool, "idleStarting", -1) end
end

local function addToPool(lobby)
  local pool = poolOf(lobby.pool)
  if isRoutable(lobby) then
    addToGroup(pool, "", lobby)
    for _, tagKey in ipairs(tagKeysOf(lobby)) do addToGroup(pool, tagKey, lobby) end
  elseif isLiving(lobby) then
    if lobby.isPrivate then countInPool(pool, "private", 1) else call("ZADD", barredKey(pool), 0, ageOf(lobby)) end
  end
  if isIdle(lobby) then addToIdle(lobby) end
  if isListed(lobby) then call("ZADD", listedKey(pool), 0, lobby.id) end
end

-- Must see the lobby exactly as addToPool saw it.
local function removeFromPool(lobby)
  local pool = poolOf(lobby.pool)
  if isRoutable(lobby) then
    removeFromGroup(pool, "", lobby)
    for _, tagKey in ipairs(tagKeysOf(lobby)) do removeFromGroup(pool, tagKey, lobby) end
  elseif isLiving(lobby) then
    if lobby.isPrivate then countInPool(pool, "private", -1) else call("ZREM", barredKey(pool), ageOf(lobby)) end
  end
  if isIdle(lobby) then removeFromIdle(lobby) end
  if isListed(lobby) then call("ZREM", listedKey(pool), lobby.id) end
end

-- Of all that depends on the seats taken only the order within the groups changes besides being idle.
local function reorderInGroups(lobby)
  if not isRoutable(lobby) then return end
  local pool, size = poolOf(lobby.pool), sizeOf(lobby)
  local score = -takenSeats(lobby)
  call("ZADD", sizedKey(pool, "", size), score, ageOf(lobby))
  for _, tagKey in ipairs(tagKeysOf(lobby)) do call("ZADD", sizedKey(pool, tagKey, size), score, ageOf(lobby)) end
end
