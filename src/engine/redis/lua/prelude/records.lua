-- Records as they are in Redis, each loaded once and written back once, however often a rule changes it.
-- A field that is absent is null; a flag is 1 or absent. Nothing but `put` changes a fact.
local lobbies, players = {}, {}
local dirty = {}
local hasChanged = false

local function loadHash(key)
  local flat = call("HGETALL", key)
  if #flat == 0 then return nil end
  local record = { key = key, changed = {} }
  for at = 1, #flat, 2 do record[flat[at]] = flat[at + 1] end
  return record
end

local function newRecord(key, facts)
  facts.key = key
  facts.changed = {}
  facts.isNew = true
  return facts
end

local function numbers(record, fields)
  for at = 1, #fields do
    local field = fields[at]
    record[field] = tonumber(record[field])
  end
end

-- A nil value is null.
local function put(record, field, value)
  hasChanged = true
  record[field] = value
  if not record.isDirty then
    record.isDirty = true
    dirty[#dirty + 1] = record
  end
  record.changed[field] = true
end

local function write(record)
  local set, unset = { "HSET", record.key }, { "HDEL", record.key }
  for field in pairs(record.changed) do
    local value = record[field]
    if value == nil or value == false then
      unset[#unset + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = value == true and 1 or value
    end
  end
  if #set > 2 then call(unpack(set)) end
  if #unset > 2 and not record.isNew then call(unpack(unset)) end
  record.changed = {}
  record.isDirty = false
  record.isNew = false
end

local function writeAll()
  for at = 1, #dirty do
    local record = dirty[at]
    if not record.isGone then write(record) end
  end
  dirty = {}
end

local function forget(record)
  hasChanged = true
  record.isGone = true
  call("DEL", record.key)
end

local lobbyNumbers = {
  "maxPlayers", "maxPlayersDirect", "readyMs", "reservationMs", "heartbeatMs", "emptyMs", "createdAt", "readyAt",
  "silentSince", "emptySince", "peakBefore", "stoppedAt", "lastHeartbeatAt", "reserved", "connected", "dueAt",
}

local function findLobby(id)
  local lobby = lobbies[id]
  if lobby == nil then
    lobby = loadHash(lobbyKey(id)) or false
    if lobby then
      lobby.id = id
      numbers(lobby, lobbyNumbers)
      lobby.isExternal = lobby.isExternal == "1"
      lobby.isPrivate = lobby.isPrivate == "1"
      lobby.isJoinable = lobby.isJoinable == "1"
      lobby.isClosed = lobby.isClosed == "1"
    end
    lobbies[id] = lobby
  end
  return lobby and not lobby.isGone and lobby or nil
end

local function findPlayer(id)
  local player = players[id]
  if player == nil then
    player = loadHash(playerKey(id)) or false
    if player then
      player.id = id
      numbers(player, { "reservedAt", "connectedAt", "endedAt" })
      player.isMissing = player.isMissing == "1"
    end
    players[id] = player
  end
  return player and not player.isGone and player or nil
end

-- Texts that no rule looks into are kept apart: lobbies stay small, and are read only where someone is told of them.
local function textsOf(lobby)
  if not lobby.texts then
    local values = call("HMGET", textsKey(lobby.id), "made", "ports", "state", "exit")
    lobby.texts = { key = textsKey(lobby.id), changed = {}, made = values[1] }
    lobby.texts.ports = values[2] or nil
    lobby.texts.state = values[3] or nil
    lobby.texts.exit = values[4] or nil
  end
  return lobby.texts
end

local namespace
local namespaceFields = {
  "revision", "lobbyCountMax", "maxPlayers", "maxPlayersPerClient", "deployedVersionId", "removedAt", "now", "touched",
  "fence", "startingCount", "readyCount", "reservedCount", "connectedCount",
}

local function loadNamespace()
  namespace = loadHash(namespaceKey) or { key = namespaceKey, changed = {}, isUnwritten = true, isGone = true }
  for _, field in ipairs(namespaceFields) do
    if field ~= "deployedVersionId" then namespace[field] = tonumber(namespace[field]) end
  end
  for _, field in ipairs({ "now", "startingCount", "readyCount", "reservedCount", "connectedCount" }) do
    namespace[field] = namespace[field] or 0
  end
end

local function count(field, by)
  put(namespace, field, namespace[field] + by)
end

local function takenSeats(lobby) return lobby.reserved + lobby.connected end
local function isTaken(player) return player.status == "reserved" or player.status == "connected" end
local function isLiving(lobby) return lobby.status ~= "stopped" end

-- Find may choose it, as far as the lobby itself goes.
local function isRoutable(lobby)
  return isLiving(lobby) and not lobby.isClosed and not lobby.isPrivate and lobby.silentSince == nil
end

-- It waits for players that may come: such lobbies make up the warm pool.
local function isIdle(lobby)
  return not lobby.isExternal and takenSeats(lobby) == 0 and isRoutable(lobby)
end

local function isListed(lobby)
  return lobby.status == "ready" and not lobby.isPrivate and lobby.silentSince == nil
end

-- A member of an ordered set: the older first, then the smaller id. Redis compares bytes; Lua would compare by locale.
local function ageOf(lobby)
  lobby.age = lobby.age or string.format("%016.0f", lobby.createdAt) .. lobby.id
  return lobby.age
end

local function idOfAge(age) return string.sub(age, 17) end

local function tagKeysOf(lobby)
  if not lobby.tagList then lobby.tagList = lobby.tagKeys and cjson.decode(lobby.tagKeys) or {} end
  return lobby.tagList
end

-- By bytes: Lua compares texts by locale.
local function isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local one, other = string.byte(a, at), string.byte(b, at)
    if one ~= other then return one < other end
  end
  return #a < #b
end
