-- So much at most in one run, so that no other namespace waits for long.
foyer.recordsMax = 500

-- Represents `null` in a patch: Lua cannot distinguish nil from an absent value.
foyer.null = cjson.null

function foyer.retimeAt(pool, position)
  local age = position >= 0 and call("ZRANGE", foyer.idleKey(pool), position, position)[1]
  if age then foyer.retimeLobby(foyer.findLobby(foyer.idOfAge(age))) end
end

-- An idle lobby that comes in may push another one out of those that are kept.
function foyer.noteIdleCome(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if lobby.readyAt and foyer.isIdle(lobby) and foyer.idleMinOf(pool) > 0 then foyer.retimeAt(pool, foyer.idleMinOf(pool)) end
end

-- An idle lobby that goes may let another one in among those that are kept.
function foyer.noteIdleGone(lobby)
  local pool = foyer.poolOf(lobby.pool)
  if lobby.readyAt and foyer.isIdle(lobby) then foyer.retimeAt(pool, foyer.idleMinOf(pool) - 1) end
end

function foyer.countLobby(lobby, by)
  if lobby.status == "starting" then foyer.count("startingCount", by) end
  if lobby.status == "ready" then foyer.count("readyCount", by) end
end

-- Deploying and idle minimums decide which empty lobbies stop: retireLobbies goes through them in steps.
function foyer.putNamespace(facts, minimums)
  local before, isMoved = {}, false
  local poolKeys = call("ZRANGE", foyer.poolsKey, 0, -1)
  for _, key in ipairs(poolKeys) do before[key] = { foyer.isDeployed(foyer.poolOf(key)), foyer.idleMinOf(foyer.poolOf(key)) } end
  for _, field in ipairs({ $namespace.factNames }) do foyer.put(foyer.namespace, field, facts[field]) end
  if minimums then
    call("DEL", foyer.minimumsKey)
    for _, idle in ipairs(minimums) do call("HSET", foyer.minimumsKey, idle.gameMode .. " " .. idle.region, idle.min) end
  end
  for _, pool in pairs(foyer.pools) do pool.idleMin = nil end
  for _, key in ipairs(poolKeys) do
    local pool = foyer.poolOf(key)
    isMoved = isMoved or before[key][1] ~= foyer.isDeployed(pool) or before[key][2] ~= foyer.idleMinOf(pool)
  end
  if isMoved then foyer.put(foyer.namespace, "retireFrom", "-") end
  if facts.revision == nil then foyer.put(foyer.namespace, "retireFrom", nil) end
end

-- Lists the lobbies of each node. That goes in as many runs as it takes, and nothing else happens in the namespace until it
-- is through. False: there is more.
function foyer.sweepOn()
  local namespace = foyer.namespace
  local ids = call("ZRANGE", foyer.lobbiesKey, namespace.sweepFrom, "+", "BYLEX", "LIMIT", 0, foyer.recordsMax)
  for _, id in ipairs(ids) do
    local lobby = foyer.findLobby(id)
    foyer.retimeLobby(lobby)
    if lobby.nodeId then call("ZADD", foyer.nodeKey(lobby.nodeId), "0", id) end
  end
  local isDone = #ids < foyer.recordsMax
  foyer.put(namespace, "sweepFrom", not isDone and "(" .. ids[#ids] or nil)
  return isDone
end

-- A namespace that an earlier Foyer wrote has no lists of the nodes' lobbies. They are made once, by a sweep.
function foyer.indexNodes(namespace)
  if namespace.revision == nil then return end
  foyer.put(namespace, "hasNodeIndex", true)
  foyer.put(namespace, "sweepFrom", "-")
end

-- The node runs the lobby from now on. Ports that the lobby has are those of the node before.
function foyer.giveToNode(lobby, nodeId)
  local isMoved = lobby.nodeId ~= nil
  if isMoved then call("ZREM", foyer.nodeKey(lobby.nodeId), lobby.id) end
  call("ZADD", foyer.nodeKey(nodeId), "0", lobby.id)
  local cleared = isMoved and foyer.null or nil
  foyer.patchLobby(lobby, { nodeId = nodeId, ports = cleared, waitsFor = cleared })
end

-- A new lobby has no players yet; addPlayer seats them.
function foyer.addLobby(lobby)
  foyer.lobbies[lobby.id] = lobby
  foyer.put(lobby, "status", lobby.status)
  for field in pairs(lobby) do
    if field ~= "key" and field ~= "changed" and field ~= "isNew" and field ~= "id" and field ~= "texts" then
      lobby.changed[field] = true
    end
  end
  call("ZADD", foyer.lobbiesKey, 0, lobby.id)
  if lobby.code then call("HSET", foyer.codesKey, lobby.code, lobby.id) end
  foyer.countInPool(foyer.poolOf(lobby.pool), "lobbies", 1)
  foyer.countLobby(lobby, 1)
  foyer.addToPool(lobby)
  foyer.noteIdleCome(lobby)
  foyer.retimeLobby(lobby)
end

function foyer.patchLobby(lobby, patch)
  for field, value in pairs(patch) do
    if value == foyer.null then value = nil end
    if $lobby.isText then foyer.put(foyer.textsOf(lobby), field, value)
    else foyer.put(lobby, field, value) end
  end
end

function foyer.changeLobby(lobby, patch)
  foyer.removeFromPool(lobby)
  foyer.noteIdleGone(lobby)
  foyer.countLobby(lobby, -1)
  foyer.patchLobby(lobby, patch)
  foyer.countLobby(lobby, 1)
  foyer.addToPool(lobby)
  foyer.noteIdleCome(lobby)
  foyer.retimeLobby(lobby)
  if patch.readyAt then
    for _, id in ipairs(foyer.seatedIds(lobby.id)) do foyer.retimePlayer(foyer.findPlayer(id), lobby) end
  end
end

-- lobby.closed and lobby.opened are sent when routing changes; while the other flag is set, only lobby.changed is.
function foyer.changeClosing(lobby, patch)
  local wasOpen = foyer.isOpen(lobby)
  foyer.changeLobby(lobby, patch)
  if foyer.isOpen(lobby) == wasOpen then foyer.emitLobby("lobby.changed", lobby)
  else foyer.emitLobby(wasOpen and "lobby.closed" or "lobby.opened", lobby) end
end

-- Forgets a lobby without taken seats.
function foyer.removeLobby(lobby)
  foyer.removeFromPool(lobby)
  foyer.noteIdleGone(lobby)
  foyer.countLobby(lobby, -1)
  foyer.dropTimer(foyer.lobbyKind .. lobby.id)
  foyer.drop(foyer.lobbiesKey, lobby.id)
  if lobby.nodeId then foyer.drop(foyer.nodeKey(lobby.nodeId), lobby.id) end
  if lobby.code then call("HDEL", foyer.codesKey, lobby.code) end
  foyer.erase(foyer.textsKey(lobby.id))
  if lobby.texts then lobby.texts.isGone = true end
  foyer.forget(lobby)
  foyer.countInPool(foyer.poolOf(lobby.pool), "lobbies", -1)
end

-- Forgets a seat that has ended.
function foyer.removePlayer(player)
  foyer.dropTimer(foyer.playerKind .. player.id)
  foyer.forget(player)
end

-- Replaces an earlier key of the same id.
function foyer.putKey(id, needed)
  foyer.hasChanged = true
  local key = { $key.first }
  call("HSET", foyer.keyKey(id), $key.pairs)
  foyer.setTimer(foyer.keyKind .. id, key.createdAt + $rememberedMs)
end

function foyer.removeKey(id)
  foyer.hasChanged = true
  foyer.dropTimer(foyer.keyKind .. id)
  foyer.erase(foyer.keyKey(id))
end

-- A namespace with nothing in it leaves nothing behind but, for a while, its events.
function foyer.comeOrGo(namespace)
  if namespace.revision == nil then
    if not namespace.isUnwritten then
      call("DEL", foyer.namespaceKey, foyer.minimumsKey)
      call("PEXPIRE", foyer.eventsKey, $rememberedMs)
    end
    namespace.isUnwritten = true
    namespace.isGone = true
    return
  end
  call("PERSIST", foyer.eventsKey)
  namespace.isUnwritten = false
  namespace.hasNodeIndex = true
  namespace.isGone = false
  for _, field in ipairs({ $namespace.names }) do foyer.put(namespace, field, namespace[field]) end
end

-- The taken seats of players with keys, mirrored from seat-keys.ts. Neither keys nor client addresses hold a space.
function foyer.scopeKey(clientId, key) return clientId .. " " .. key end

-- Members of one score are in the order of their bytes, and a space comes before everything that a key may hold.
function foyer.keyedMember(player) return player.playerKey .. " " .. player.lobbyId .. " " .. player.clientId end

function foyer.addSeatKey(player)
  call("HSET", foyer.seatKeysKey, foyer.scopeKey(player.clientId, player.playerKey), player.lobbyId)
  call("ZADD", foyer.keyedKey, "0", foyer.keyedMember(player))
end

function foyer.removeSeatKey(player)
  call("HDEL", foyer.seatKeysKey, foyer.scopeKey(player.clientId, player.playerKey))
  call("ZREM", foyer.keyedKey, foyer.keyedMember(player))
end

-- A player's key for its lobby and in events: whether a server token vouches for it, then the key. Empty: it has none.
function foyer.showKey(player)
  if not player.playerKey then return "" end
  return (player.clientId == "" and "v" or "o") .. player.playerKey
end
