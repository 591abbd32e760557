-- What find, join and createLobby have in common, mirrored from rules/party.ts: seating a party, once.

-- Whether the caller built its command from the configuration that is in force.
function foyer.isCurrent(revision)
  return foyer.namespace.revision ~= nil and foyer.namespace.removedAt == nil and foyer.namespace.revision == revision
end

-- The answer to a retry; nil when the key says nothing, because it is new or all its seats have ended.
function foyer.replay(clientId, idempotency)
  if not idempotency then return nil end
  local known = foyer.loadHash(foyer.keyKey(foyer.keyId(clientId, idempotency)))
  local lobby = known and foyer.findLobby(known.lobbyId)
  if not lobby then return nil end
  local isAlive = false
  for id in string.gmatch(known.playerIds, "%S+") do
    local player = foyer.findPlayer(id)
    if player and foyer.isTaken(player) then isAlive = true end
  end
  if not isAlive then return nil end
  if known.bodyHash ~= idempotency.bodyHash then return foyer.refuse("IDEMPOTENCY_KEY_REUSED") end
  return foyer.accept("0", "1", known.playerIds, foyer.viewLobby(lobby))
end

function foyer.refuseClient(clientId, seats)
  if not foyer.namespace.maxPlayersPerClient or clientId == "" then return nil end
  local held = (tonumber(call("HGET", foyer.clientsKey, clientId)) or 0) + (foyer.newClients[clientId] or 0)
  if held + seats > foyer.namespace.maxPlayersPerClient then return foyer.refuse("TOO_MANY_PLAYERS_FROM_SOURCE") end
end

-- The caller creates the ids; one that already exists would be a bug of Foyer, reported before anything is written.
-- Whether the first one exists was seen when the operation was looked for.
function foyer.checkNewIds(command, made)
  local playerIds = command.playerIds
  local wrongKeys = command.keys and foyer.checkNewKeys(playerIds, command.keys)
  if wrongKeys then return wrongKeys end
  local exists = foyer.players[playerIds[1]]
  if not playerIds[2] and not exists and not made then return nil end
  local seen, keys = {}, {}
  for _, id in ipairs(playerIds) do
    if seen[id] then return foyer.fail("A party needs a different id for each player.") end
    seen[id] = true
    keys[#keys + 1] = foyer.playerKey(id)
  end
  if #keys > 0 and call("EXISTS", unpack(keys)) > 0 then return foyer.fail("A player of the party exists already.") end
  if made and call("EXISTS", foyer.lobbyKey(made.lobbyId)) > 0 then
    return foyer.fail("Lobby " .. made.lobbyId .. " exists already; a new lobby needs a new id.")
  end
end

-- The lobby to make, as far as rules look into it. What it has for itself is in the command.
function foyer.lobbyToMake(command)
  if not command.newLobbyId then return nil end
  local made = cjson.decode(foyer.sharedArg(4))
  made.lobbyId, made.codes, made.createdBy = command.newLobbyId, command.codes, command.createdBy
  return made
end

function foyer.seatParty(lobby, command, isNewLobby)
  local clientId, isNew = command.clientId or "", isNewLobby and "1" or "0"
  local op = "S" .. isNew .. " " .. foyer.arg(2)
  local needed = { lobbyId = lobby.id, clientId = clientId }
  for at, id in ipairs(command.playerIds) do
    local key = command.keys and command.keys[at]
    needed.playerKey = key ~= "" and key or nil
    foyer.emitPlayer("player.reserved", foyer.addPlayer(lobby, id, needed, op))
  end
  local idempotency = command.idempotency
  if idempotency then
    foyer.putKey(foyer.keyId(clientId, idempotency), {
      bodyHash = idempotency.bodyHash, lobbyId = lobby.id, playerIds = table.concat(command.playerIds, " "),
    })
  end
  return foyer.accept(isNew, "0", "", foyer.viewLobby(lobby)), lobby.id
end
