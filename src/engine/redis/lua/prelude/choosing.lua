-- Which lobby a find takes, mirrored from pools.ts and rules/find.ts.

-- The sizes of a group with how many lobbies each has: ready ones first, then the smaller.
function foyer.sizesOf(pool, tagKey)
  local flat = call("HGETALL", foyer.groupKey(pool, tagKey))
  local sizes, lobbyCount = {}, 0
  for at = 1, #flat, 2 do
    local size = flat[at]
    lobbyCount = lobbyCount + tonumber(flat[at + 1])
    sizes[#sizes + 1] = { name = size, isReady = string.sub(size, 1, 1) == "r", maxPlayers = tonumber(string.sub(size, 2)) }
  end
  if #sizes > 1 then
    table.sort(sizes, function(a, b)
      if a.isReady ~= b.isReady then return a.isReady end
      return a.maxPlayers < b.maxPlayers
    end)
  end
  return sizes, lobbyCount
end

-- Every fit has all the tags, so it is among the lobbies of the rarest one.
function foyer.rarestGroup(pool, tagKeys)
  if #tagKeys == 0 then return "", (foyer.sizesOf(pool, "")) end
  local rarest, rarestSizes, rarestCount
  for _, tagKey in ipairs(tagKeys) do
    local sizes, lobbyCount = foyer.sizesOf(pool, tagKey)
    if lobbyCount == 0 then return tagKey, {} end
    if not rarest or lobbyCount <= rarestCount then rarest, rarestSizes, rarestCount = tagKey, sizes, lobbyCount end
  end
  return rarest, rarestSizes
end

-- The fullest with room, as age and negative seats. Up to one tag, every lobby of the group has it; of several, the
-- group's is only the rarest.
function foyer.firstTagged(pool, tagKey, size, takenMax, tagKeys)
  if tagKeys[2] then return foyer.firstWithAll(pool, tagKey, size, takenMax, tagKeys) end
  local found = call("ZRANGE", foyer.sizedKey(pool, tagKey, size), -takenMax, "+inf", "BYSCORE", "LIMIT", "0", "1", "WITHSCORES")
  return found[1], tonumber(found[2])
end

-- A lobby that was the best fit and got more players is the best fit of a party that wishes for the same, while it has room:
-- of all lobbies that fit it has the most seats taken. Whatever else changes a group forgets it.
function foyer.isSameFit(pool, tagKeys, seats)
  local lobby = pool.lastFit
  if not lobby or pool.fitSeats ~= seats or #pool.fitTagKeys ~= #tagKeys then return false end
  for at = 1, #tagKeys do
    if pool.fitTagKeys[at] ~= tagKeys[at] then return false end
  end
  return foyer.takenSeats(lobby) + seats <= math.min(lobby.maxPlayers, foyer.namespace.maxPlayers)
end

-- Ready before starting, then most seats taken, then the older, then the smaller id.
function foyer.bestFit(pool, tagKeys, seats)
  if foyer.isSameFit(pool, tagKeys, seats) then return pool.lastFit end
  foyer.writeOrder()
  local tagKey, sizes = foyer.rarestGroup(pool, tagKeys)
  local best, bestScore, bestIsReady
  for at = 1, #sizes do
    local size = sizes[at]
    if best and bestIsReady and not size.isReady then break end
    local takenMax = math.min(size.maxPlayers, foyer.namespace.maxPlayers) - seats
    if takenMax >= 0 then
      local age, score = foyer.firstTagged(pool, tagKey, size.name, takenMax, tagKeys)
      if age and (not best or score < bestScore or (score == bestScore and foyer.isBefore(age, best))) then
        best, bestScore, bestIsReady = age, score, size.isReady
      end
    end
  end
  local lobby = best and foyer.findLobby(foyer.idOfAge(best)) or nil
  if lobby then lobby.age = best end
  pool.lastFit, pool.fitSeats, pool.fitTagKeys = lobby, seats, tagKeys
  return lobby
end

-- What find does, without doing it: the lobby to take, the lobby to make, or a refusal.
function foyer.decideFind(request)
  local seats, versionId = #request.playerIds, foyer.namespace.deployedVersionId
  if not versionId then return nil, nil, foyer.refuse("NO_VERSION_DEPLOYED") end
  local seated = request.keys and foyer.refuseSeated(request.areKeysVouched and "" or request.clientId, request.keys)
  if seated then return nil, nil, seated end
  local clientRefusal = foyer.refuseClient(request.clientId, seats)
  if clientRefusal then return nil, nil, clientRefusal end
  for at = 1, #request.pairs do
    local pair = request.pairs[at]
    local lobby = foyer.bestFit(foyer.poolAt(versionId, pair.gameMode, pair.region), request.tagKeys, seats)
    if lobby then return lobby end
  end

  local made = foyer.lobbyToMake(request)
  if not made then return nil, nil, foyer.refuse(request.createRefusal) end
  if made.versionId ~= versionId then return nil, nil, foyer.refuse("STALE_REVISION") end
  local creationRefusal = foyer.refuseCreation(made, seats)
  if creationRefusal then return nil, nil, creationRefusal end
  if request.startRefusal then return nil, nil, foyer.refuse(request.startRefusal) end
  local codeRefusal = foyer.refuseCodes(made)
  if codeRefusal then return nil, nil, codeRefusal end
  return nil, made
end
