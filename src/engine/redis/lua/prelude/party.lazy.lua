-- Client addresses hold no space, so no two clients' keys are ever the same.
function foyer.keyId(clientId, idempotency) return clientId .. " " .. idempotency.key end

-- Whether one more lobby may be made for a party of this size. Size first: waiting for room would not help it.
function foyer.refuseCreation(made, seats)
  if seats > math.min(made.maxPlayers, foyer.namespace.maxPlayers) then return foyer.refuse("NO_AVAILABLE_LOBBIES") end
  if foyer.namespace.startingCount + foyer.namespace.readyCount >= foyer.namespace.lobbyCountMax then return foyer.refuse("TOO_MANY_LOBBIES") end
end

-- Chooses the code of the lobby, if it is to have one. The caller tries again with longer ones when all are taken.
function foyer.refuseCodes(made)
  if not made.codes then return nil end
  for at, owner in ipairs(call("HMGET", foyer.codesKey, unpack(made.codes))) do
    if not owner then
      made.code = made.codes[at]
      return nil
    end
  end
  return foyer.refuse("CODES_TAKEN")
end

-- The text that rules hand on is beside it.
function foyer.makeLobby(made, registeredBy)
  local text = '{"createdBy":' .. made.createdBy .. "," .. string.sub(foyer.sharedArg(5), 2)
  local lobby = foyer.newRecord(foyer.lobbyKey(made.lobbyId), {
    pool = foyer.poolKey(made.versionId, made.gameMode, made.region),
    tagKeys = #made.tagKeys > 0 and cjson.encode(made.tagKeys) or nil,
    registeredBy = registeredBy,
    reserved = 0,
    connected = 0,
    held = 0,
    $lobby.first,
  })
  lobby.id = made.lobbyId
  lobby.texts = foyer.newRecord(foyer.textsKey(made.lobbyId), {})
  foyer.put(lobby.texts, "made", text)
  $lobby.putTexts
  foyer.addLobby(lobby)
  foyer.emitLobby("lobby.created", lobby)
  return lobby
end

-- Nil: no player of the party has a seat by the same key already. Mirrors rules/party.ts.
function foyer.refuseSeated(clientId, keys)
  local seated = {}
  for at, key in ipairs(keys) do
    local lobbyId = key ~= "" and call("HGET", foyer.seatKeysKey, foyer.scopeKey(clientId, key))
    if lobbyId then seated[#seated + 1] = at - 1 .. " " .. lobbyId end
  end
  if #seated > 0 then return { "NO", "PLAYER_ALREADY_SEATED", false, seated } end
end

-- Reported before anything is written, as checkNewIds does.
function foyer.checkNewKeys(playerIds, keys)
  local seen, isRight = {}, #keys == #playerIds
  for _, key in ipairs(keys) do
    if seen[key] then isRight = false end
    seen[key] = key ~= ""
  end
  if not isRight then return foyer.fail("A party needs a different key for each player who has one.") end
end
