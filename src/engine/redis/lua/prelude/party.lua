-- What find, join and createLobby have in common, mirrored from rules/party.ts: seating a party, once.

-- Whether the caller built its command from the configuration that is in force.
local function isCurrent(revision)
  return namespace.revision ~= nil and namespace.removedAt == nil and namespace.revision == revision
end

-- Client addresses hold no space, so no two clients' keys are ever the same.
local function keyId(clientId, idempotency) return clientId .. " " .. idempotency.key end

-- The answer to a retry; nil when the key says nothing, because it is new or all its seats have ended.
local function replay(clientId, idempotency)
  if not idempotency then return nil end
  local known = loadHash(keyKey(keyId(clientId, idempotency)))
  local lobby = known and findLobby(known.lobbyId)
  if not lobby then return nil end
  local isAlive = false
  for id in string.gmatch(known.playerIds, "%S+") do
    local player = findPlayer(id)
    if player and isTaken(player) then isAlive = true end
  end
  if not isAlive then return nil end
  if known.bodyHash ~= idempotency.bodyHash then return refuse("IDEMPOTENCY_KEY_REUSED") end
  return accept("0", "1", known.playerIds, viewLobby(lobby))
end

local function refuseClient(clientId, seats)
  if not namespace.maxPlayersPerClient then return nil end
  local held = tonumber(call("HGET", clientsKey, clientId)) or 0
  if held + seats > namespace.maxPlayersPerClient then return refuse("TOO_MANY_PLAYERS_FROM_SOURCE") end
end

-- Whether one more lobby may be made for a party of this size. Size first: waiting for room would not help it.
local function refuseCreation(made, seats)
  if seats > math.min(made.maxPlayers, namespace.maxPlayers) then return refuse("NO_AVAILABLE_LOBBIES") end
  if namespace.startingCount + namespace.readyCount >= namespace.lobbyCountMax then return refuse("TOO_MANY_LOBBIES") end
end

-- Ids are made by the caller; one that exists already would be a fault of ours, told before anything is written.
local function faultOfIds(playerIds, made)
  local seen, keys = {}, {}
  for _, id in ipairs(playerIds) do
    if seen[id] then return fault("A party needs a different id for each player.") end
    seen[id] = true
    keys[#keys + 1] = playerKey(id)
  end
  if #keys > 0 and call("EXISTS", unpack(keys)) > 0 then return fault("A player of the party exists already.") end
  if made and call("EXISTS", lobbyKey(made.lobbyId)) > 0 then
    return fault("Lobby " .. made.lobbyId .. " exists already; a new lobby needs a new id.")
  end
end

-- The lobby to make: what the rules look into, and the text that they hand on.
local function lobbyToMake()
  return ARGV[4] ~= "" and cjson.decode(ARGV[4]) or nil, ARGV[5]
end

local function makeLobby(made, text)
  local hasTags = #made.tagKeys > 0
  local lobby = newRecord(lobbyKey(made.lobbyId), {
    pool = poolKey(made.versionId, made.gameMode, made.region),
    maxPlayers = made.maxPlayers,
    maxPlayersDirect = made.maxPlayersDirect,
    isExternal = made.isExternal,
    isPrivate = made.isPrivate,
    isJoinable = made.isJoinable,
    tagKeys = hasTags and cjson.encode(made.tagKeys) or nil,
    readyMs = made.timeouts.readyMs,
    reservationMs = made.timeouts.reservationMs,
    heartbeatMs = made.timeouts.heartbeatMs,
    emptyMs = made.timeouts.emptyMs,
    createdAt = namespace.now,
    status = "starting",
    isClosed = false,
    emptySince = namespace.now,
    peakBefore = 0,
    reserved = 0,
    connected = 0,
  })
  lobby.id = made.lobbyId
  lobby.texts = newRecord(textsKey(made.lobbyId), { made = text, ports = made.ports })
  put(lobby.texts, "made", text)
  put(lobby.texts, "ports", made.ports)
  addLobby(lobby)
  emitLobby("lobby.created", lobby)
  return lobby
end

local function seatParty(lobby, command, isNewLobby)
  local clientId = command.clientId or ""
  for _, id in ipairs(command.playerIds) do
    emitPlayer("player.reserved", addPlayer(lobby, id, clientId))
  end
  local idempotency = command.idempotency
  if idempotency then putKey(keyId(clientId, idempotency), idempotency.bodyHash, lobby.id, command.playerIds) end
  return accept(isNewLobby and "1" or "0", "0", "", viewLobby(lobby)), lobby.id
end
