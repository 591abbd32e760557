-- Records as they are in Redis, each loaded once and written back once, however often a rule changes it.
-- A field that is absent is null; a flag is 1 or absent. Nothing but `put` changes a fact.

-- Fills a record that has its key. The fields that most records of a kind have are named when it is made: a table that
-- grows field by field is allocated again each time it doubles.
function foyer.loadInto(record)
  local flat = call("HGETALL", record.key)
  if #flat == 0 then return nil end
  for at = 1, #flat, 2 do record[flat[at]] = flat[at + 1] end
  return record
end

-- A nil value is null. A record is dirty while it has a list of changed fields.
function foyer.put(record, field, value)
  foyer.hasChanged = true
  record.head = nil
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
    lobby = foyer.loadInto({ key = foyer.lobbyKey(id), id = id, $lobby.blank }) or false
    if lobby then
      $lobby.convert
    end
    foyer.lobbies[id] = lobby
  end
  return lobby and not lobby.isGone and lobby or nil
end

function foyer.findPlayer(id)
  local player = foyer.players[id]
  if player == nil then
    player = foyer.loadInto({ key = foyer.playerKey(id), id = id, $player.blank }) or false
    if player then
      $player.convert
    end
    foyer.players[id] = player
  end
  return player and not player.isGone and player or nil
end

-- Texts that no rule reads are stored separately: lobbies stay small, and the texts are read only for views and events.
function foyer.textsOf(lobby)
  if not lobby.texts then
    local key = foyer.textsKey(lobby.id)
    local values = call("HMGET", key, "made", $lobby.textNames)
    lobby.texts = { key = key, made = values[1], $lobby.textValues }
  end
  return lobby.texts
end

function foyer.loadNamespace()
  local namespace = foyer.loadInto({ key = foyer.namespaceKey, $namespace.blank })
  if not namespace then namespace = { key = foyer.namespaceKey, isUnwritten = true, isGone = true } end
  $namespace.convert
  foyer.namespace = namespace
  return namespace
end

function foyer.count(field, by)
  foyer.put(foyer.namespace, field, foyer.namespace[field] + by)
end

function foyer.takenSeats(lobby) return lobby.reserved + lobby.connected + lobby.held end
function foyer.isTaken(player)
  return player.status == "reserved" or player.status == "connected" or player.status == "held"
end
function foyer.isLiving(lobby) return lobby.status ~= "stopped" end

-- Neither the lobby nor the operator has closed it.
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
