-- Records as they are in Redis, each loaded once and written back once, however often a rule changes it.
-- A field that is absent is null; a flag is 1 or absent. Nothing but `put` changes a fact.

-- Fills a record that has its key. The fields that most records of a kind have are named when it is made: a table that
-- grows field by field is made anew each time it doubles.
function foyer.loadInto(record)
  local flat = call("HGETALL", record.key)
  if #flat == 0 then return nil end
  for at = 1, #flat, 2 do record[flat[at]] = flat[at + 1] end
  return record
end

-- A nil value is null. A record is dirty while it has a list of changed fields.
function foyer.put(record, field, value)
  foyer.hasChanged = true
  record[field] = value
  local changed = record.changed
  if not changed then
    changed = {}
    record.changed = changed
    foyer.dirty[#foyer.dirty + 1] = record
  end
  changed[field] = true
end

function foyer.write(record)
  local set, unset = { "HSET", record.key }, nil
  for field in pairs(record.changed) do
    local value = record[field]
    if value == nil or value == false then
      unset = unset or { "HDEL", record.key }
      unset[#unset + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = value == true and "1" or value
    end
  end
  if set[3] then call(unpack(set)) end
  if unset and not record.isNew then call(unpack(unset)) end
  record.changed = nil
  record.isNew = false
end

function foyer.writeAll()
  for at = 1, #foyer.dirty do
    local record = foyer.dirty[at]
    if record.isGone then record.changed = nil else foyer.write(record) end
  end
  foyer.dirty = {}
end

function foyer.findLobby(id)
  local lobby = foyer.lobbies[id]
  if lobby == nil then
    lobby = foyer.loadInto({
      key = foyer.lobbyKey(id), id = id, pool = "", status = "", maxPlayers = 0, maxPlayersDirect = 0, readyMs = 0,
      reservationMs = 0, heartbeatMs = 0, emptyMs = 0, createdAt = 0, emptySince = 0, peakBefore = 0, reserved = 0,
      connected = 0, isExternal = false, isJoinable = false,
    }) or false
    if lobby then
      lobby.maxPlayers = tonumber(lobby.maxPlayers)
      lobby.maxPlayersDirect = tonumber(lobby.maxPlayersDirect)
      lobby.readyMs = tonumber(lobby.readyMs)
      lobby.reservationMs = tonumber(lobby.reservationMs)
      lobby.heartbeatMs = tonumber(lobby.heartbeatMs)
      lobby.emptyMs = tonumber(lobby.emptyMs)
      lobby.createdAt = tonumber(lobby.createdAt)
      lobby.readyAt = tonumber(lobby.readyAt)
      lobby.silentSince = tonumber(lobby.silentSince)
      lobby.emptySince = tonumber(lobby.emptySince)
      lobby.peakBefore = tonumber(lobby.peakBefore)
      lobby.stoppedAt = tonumber(lobby.stoppedAt)
      lobby.lastHeartbeatAt = tonumber(lobby.lastHeartbeatAt)
      lobby.reserved = tonumber(lobby.reserved)
      lobby.connected = tonumber(lobby.connected)
      lobby.dueAt = tonumber(lobby.dueAt)
      lobby.isExternal = lobby.isExternal == "1"
      lobby.isPrivate = lobby.isPrivate == "1"
      lobby.isJoinable = lobby.isJoinable == "1"
      lobby.isClosed = lobby.isClosed == "1"
    end
    foyer.lobbies[id] = lobby
  end
  return lobby and not lobby.isGone and lobby or nil
end

function foyer.findPlayer(id)
  local player = foyer.players[id]
  if player == nil then
    player = foyer.loadInto({
      key = foyer.playerKey(id), id = id, lobbyId = "", clientId = "", status = "", reservedAt = 0, op = "",
    }) or false
    if player then
      player.reservedAt = tonumber(player.reservedAt)
      player.connectedAt = tonumber(player.connectedAt)
      player.endedAt = tonumber(player.endedAt)
      player.isMissing = player.isMissing == "1"
    end
    foyer.players[id] = player
  end
  return player and not player.isGone and player or nil
end

-- Texts that no rule looks into are kept apart: lobbies stay small, and are read only where someone is told of them.
function foyer.textsOf(lobby)
  if not lobby.texts then
    local key = foyer.textsKey(lobby.id)
    local values = call("HMGET", key, "made", "ports", "state", "exit")
    lobby.texts = {
      key = key, made = values[1], ports = values[2] or nil, state = values[3] or nil, exit = values[4] or nil,
    }
  end
  return lobby.texts
end

function foyer.loadNamespace()
  local namespace = foyer.loadInto({
    key = foyer.namespaceKey, revision = nil, lobbyCountMax = nil, maxPlayers = nil, maxPlayersPerClient = nil,
    deployedVersionId = nil, now = nil, touched = nil, fence = nil, startingCount = nil, readyCount = nil,
    reservedCount = nil, connectedCount = nil,
  })
  if not namespace then namespace = { key = foyer.namespaceKey, isUnwritten = true, isGone = true } end
  namespace.revision = tonumber(namespace.revision)
  namespace.lobbyCountMax = tonumber(namespace.lobbyCountMax)
  namespace.maxPlayers = tonumber(namespace.maxPlayers)
  namespace.maxPlayersPerClient = tonumber(namespace.maxPlayersPerClient)
  namespace.removedAt = tonumber(namespace.removedAt)
  namespace.touched = tonumber(namespace.touched)
  namespace.fence = tonumber(namespace.fence)
  namespace.heardFrom = tonumber(namespace.heardFrom) or 0
  namespace.now = tonumber(namespace.now) or 0
  namespace.startingCount = tonumber(namespace.startingCount) or 0
  namespace.readyCount = tonumber(namespace.readyCount) or 0
  namespace.reservedCount = tonumber(namespace.reservedCount) or 0
  namespace.connectedCount = tonumber(namespace.connectedCount) or 0
  foyer.namespace = namespace
  return namespace
end

function foyer.count(field, by)
  foyer.put(foyer.namespace, field, foyer.namespace[field] + by)
end

function foyer.takenSeats(lobby) return lobby.reserved + lobby.connected end
function foyer.isTaken(player) return player.status == "reserved" or player.status == "connected" end
function foyer.isLiving(lobby) return lobby.status ~= "stopped" end

-- Neither the lobby nor the operator keeps find away from it.
function foyer.isOpen(lobby) return not lobby.isClosed and not lobby.operatorClose end

-- Find may choose it, as far as the lobby itself goes.
function foyer.isRoutable(lobby)
  return foyer.isLiving(lobby) and foyer.isOpen(lobby) and not lobby.isPrivate and lobby.silentSince == nil
end

-- It waits for players that may come: such lobbies make up the warm pool.
function foyer.isIdle(lobby)
  return not lobby.isExternal and foyer.takenSeats(lobby) == 0 and foyer.isRoutable(lobby)
end

-- A member of an ordered set: the older first, then the smaller id. Redis compares bytes; Lua would compare by locale.
function foyer.ageOf(lobby)
  lobby.age = lobby.age or string.format("%016.0f", lobby.createdAt) .. lobby.id
  return lobby.age
end

function foyer.idOfAge(age) return string.sub(age, 17) end
