-- One namespace, mirrored from state.ts. These are the only writers, so no rule can forget an index, a count or a deadline.
local function retimeLobby(lobby)
  local dueAt = lobbyDueAt(lobby)
  if dueAt == (lobby.dueAt or never) then return end
  if dueAt == never then
    call("ZREM", timersKey, lobbyKind .. lobby.id)
    put(lobby, "dueAt", nil)
  else
    call("ZADD", timersKey, dueAt, lobbyKind .. lobby.id)
    put(lobby, "dueAt", dueAt)
  end
end

local function retimePlayer(player, lobby)
  local dueAt = playerDueAt(player, lobby)
  if dueAt ~= never then call("ZADD", timersKey, dueAt, playerKind .. player.id)
  elseif not player.isNew then call("ZREM", timersKey, playerKind .. player.id) end
end

local function retimeAt(pool, position)
  local age = position >= 0 and call("ZRANGE", idleKey(pool), position, position)[1]
  if age then retimeLobby(findLobby(idOfAge(age))) end
end

-- An idle lobby that comes in may push another one out of those that are kept.
local function noteIdleCome(lobby)
  local pool = poolOf(lobby.pool)
  if lobby.readyAt and isIdle(lobby) and idleMinOf(pool) > 0 then retimeAt(pool, idleMinOf(pool)) end
end

-- An idle lobby that goes may let another one in among those that are kept.
local function noteIdleGone(lobby)
  local pool = poolOf(lobby.pool)
  if lobby.readyAt and isIdle(lobby) then retimeAt(pool, idleMinOf(pool) - 1) end
end

local function countLobby(lobby, by)
  if lobby.status == "starting" then count("startingCount", by) end
  if lobby.status == "ready" then count("readyCount", by) end
end

-- Deploying and idle minimums decide which empty lobbies stop, so those deadlines move too.
local function putNamespace(facts, minimums)
  local before, moved, isMoved = {}, {}, false
  local poolKeys = call("ZRANGE", poolsKey, 0, -1)
  for _, key in ipairs(poolKeys) do before[key] = { isDeployed(poolOf(key)), idleMinOf(poolOf(key)) } end
  for _, field in ipairs({
    "revision", "lobbyCountMax", "maxPlayers", "maxPlayersPerClient", "deployedVersionId", "removedAt",
  }) do
    put(namespace, field, facts[field])
  end
  if minimums then
    call("DEL", minimumsKey)
    for _, idle in ipairs(minimums) do call("HSET", minimumsKey, idle.gameMode .. " " .. idle.region, idle.min) end
  end
  for _, pool in pairs(pools) do pool.idleMin = nil end
  for _, key in ipairs(poolKeys) do
    local pool = poolOf(key)
    if before[key][1] ~= isDeployed(pool) or before[key][2] ~= idleMinOf(pool) then
      moved[key] = true
      isMoved = true
    end
  end
  if not isMoved then return end
  for _, id in ipairs(call("ZRANGE", lobbiesKey, 0, -1)) do
    local lobby = findLobby(id)
    if moved[lobby.pool] then retimeLobby(lobby) end
  end
end

-- A new lobby has no players yet; addPlayer seats them.
local function addLobby(lobby)
  lobbies[lobby.id] = lobby
  for field in pairs(lobby) do
    if field ~= "key" and field ~= "changed" and field ~= "isNew" and field ~= "id" and field ~= "texts" then
      lobby.changed[field] = true
    end
  end
  put(lobby, "status", lobby.status)
  call("ZADD", lobbiesKey, 0, lobby.id)
  countInPool(poolOf(lobby.pool), "lobbies", 1)
  countLobby(lobby, 1)
  addToPool(lobby)
  noteIdleCome(lobby)
  retimeLobby(lobby)
end

-- What `null` stands for in a patch: Lua cannot tell a nil from nothing.
local null = cjson.null

local function patchLobby(lobby, patch)
  for field, value in pairs(patch) do
    if value == null then value = nil end
    if field == "ports" or field == "state" or field == "exit" then put(textsOf(lobby), field, value)
    else put(lobby, field, value) end
  end
end

local function changeLobby(lobby, patch)
  removeFromPool(lobby)
  noteIdleGone(lobby)
  countLobby(lobby, -1)
  patchLobby(lobby, patch)
  countLobby(lobby, 1)
  addToPool(lobby)
  noteIdleCome(lobby)
  retimeLobby(lobby)
  if patch.readyAt then
    for _, id in ipairs(call("ZRANGE", seatedKey(lobby.id), 0, -1)) do retimePlayer(findPlayer(id), lobby) end
  end
end

local function noteHeartbeat(lobby, at)
  put(lobby, "lastHeartbeatAt", at)
  retimeLobby(lobby)
end

-- Forgets a lobby without taken seats.
local function removeLobby(lobby)
  removeFromPool(lobby)
  noteIdleGone(lobby)
  countLobby(lobby, -1)
  call("ZREM", timersKey, lobbyKind .. lobby.id)
  call("ZREM", lobbiesKey, lobby.id)
  call("DEL", textsKey(lobby.id))
  if lobby.texts then lobby.texts.isGone = true end
  forget(lobby)
  countInPool(poolOf(lobby.pool), "lobbies", -1)
end

local function countSeat(lobby, status, by)
  local isReserved = status == "reserved"
  put(lobby, isReserved and "reserved" or "connected", (isReserved and lobby.reserved or lobby.connected) + by)
  count(isReserved and "reservedCount" or "connectedCount", by)
end

local function takePlace(lobby, player)
  call("ZADD", seatedKey(lobby.id), 0, player.id)
  countInPool(poolOf(lobby.pool), "taken", 1)
  call("HINCRBY", clientsKey, player.clientId, 1)
end

local function leavePlace(lobby, player, takenBefore)
  if takenBefore > lobby.peakBefore then put(lobby, "peakBefore", takenBefore) end
  call("ZREM", seatedKey(lobby.id), player.id)
  countInPool(poolOf(lobby.pool), "taken", -1)
  if call("HINCRBY", clientsKey, player.clientId, -1) == 0 then call("HDEL", clientsKey, player.clientId) end
  if takenSeats(lobby) == 0 then put(lobby, "emptySince", namespace.now) end
end

-- Brings lobby, pool, client and totals from the seat's earlier status (nil: it had no seat) to its present one.
local function moveSeat(lobby, player, before)
  if before and isTaken(player) then
    countSeat(lobby, before, -1)
    countSeat(lobby, player.status, 1)
    return
  end
  local takenBefore = takenSeats(lobby)
  if isIdle(lobby) then
    removeFromIdle(lobby)
    noteIdleGone(lobby)
  end
  if before then countSeat(lobby, before, -1) else countSeat(lobby, player.status, 1) end
  if before then leavePlace(lobby, player, takenBefore) else takePlace(lobby, player) end
  reorderInGroups(lobby)
  if isIdle(lobby) then
    addToIdle(lobby)
    noteIdleCome(lobby)
  end
  retimeLobby(lobby)
end

-- A taken seat in this lobby.
local function addPlayer(lobby, id, clientId)
  local player = newRecord(playerKey(id), {
    lobbyId = lobby.id, clientId = clientId, reservedAt = namespace.now, status = "reserved",
  })
  for _, field in ipairs({ "lobbyId", "clientId", "reservedAt", "status" }) do put(player, field, player[field]) end
  player.id = id
  players[id] = player
  moveSeat(lobby, player, nil)
  retimePlayer(player, lobby)
  return player
end

-- A lobby whose last taken seat ends here is empty from now on. A seat that has ended stays so.
local function changePlayer(player, patch)
  local before = isTaken(player) and player.status or nil
  for field, value in pairs(patch) do put(player, field, value) end
  if before == player.status then return end
  local lobby = findLobby(player.lobbyId)
  if before then moveSeat(lobby, player, before) end
  retimePlayer(player, lobby)
end

-- Forgets a seat that has ended.
local function removePlayer(player)
  call("ZREM", timersKey, playerKind .. player.id)
  forget(player)
end

-- Replaces an earlier key of the same id.
local function putKey(id, bodyHash, lobbyId, playerIds)
  hasChanged = true
  call("HSET", keyKey(id), "bodyHash", bodyHash, "lobbyId", lobbyId, "playerIds", table.concat(playerIds, " "),
    "createdAt", namespace.now)
  call("ZADD", timersKey, namespace.now + rememberedMs, keyKind .. id)
end

local function removeKey(id)
  hasChanged = true
  call("ZREM", timersKey, keyKind .. id)
  call("DEL", keyKey(id))
end

-- Writes what the run has changed so far and tells of it. A namespace with nothing in it leaves nothing behind but, for a
-- while, what was told of it.
local function flush()
  writePools()
  if namespace.revision == nil then
    if not namespace.isUnwritten then
      call("DEL", namespaceKey, minimumsKey)
      call("PEXPIRE", eventsKey, rememberedMs)
    end
    namespace.isUnwritten = true
    namespace.isGone = true
  elseif namespace.isUnwritten then
    call("PERSIST", eventsKey)
    namespace.isUnwritten = false
    namespace.isGone = false
    namespace.isDirty = false
    for _, field in ipairs(namespaceFields) do put(namespace, field, namespace[field]) end
  end
  writeAll()
  tellEvents()
end
