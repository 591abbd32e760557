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
  local text = foyer.arg(5)
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
