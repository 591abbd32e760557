-- What an explanation is made from, mirrored from explain-gather.ts: the lobbies nearest to what is wished for, public and
-- living ones only, bounded in number and in effort. TypeScript judges them, by the same code as for the memory engine.
function foyer.takeLobbies(gathered, looks, ...)
  local ids = call("ZRANGE", ...)
  for at, age in ipairs(ids) do
    if at > looks or gathered.looksLeft == 0 then
      gathered.isCut = true
      return
    end
    gathered.looksLeft = gathered.looksLeft - 1
    local id = foyer.idOfAge(age)
    if not gathered.seen[id] then
      gathered.seen[id] = true
      gathered.views[#gathered.views + 1] = foyer.viewLobby(foyer.findLobby(id))
    end
  end
end

-- In each set of equally large lobbies: those that have the seats from the best on, and those that just lack them.
function foyer.gatherPool(pool, request, gathered)
  local looks = #request.tagKeys > 1 and $looksPerSetWithTagsMax or $looksPerSetMax
  local tagKeys = { unpack(request.tagKeys) }
  tagKeys[#tagKeys + 1] = ""
  for _, tagKey in ipairs(tagKeys) do
    for _, size in ipairs((foyer.sizesOf(pool, tagKey))) do
      local takenMax = math.min(size.maxPlayers, foyer.namespace.maxPlayers) - #request.playerIds
      local key = foyer.sizedKey(pool, tagKey, size.name)
      foyer.takeLobbies(gathered, looks, key, -takenMax, "+inf", "BYSCORE", "LIMIT", 0, looks + 1)
      foyer.takeLobbies(gathered, $looksPerSetMax, key, "(" .. -takenMax, "-inf", "BYSCORE", "REV", "LIMIT", 0, $looksPerSetMax + 1)
    end
  end
  foyer.takeLobbies(gathered, $looksPerSetMax, foyer.barredKey(pool), 0, $looksPerSetMax)
end

-- The list: whether something was left out, private lobbies, the namespace's maximum and version, the chosen one's id, views.
function foyer.gather(request, chosen)
  foyer.writeOrder()
  local gathered = { looksLeft = $looksMax, isCut = false, seen = {}, views = {} }
  local wished, privateCount = {}, 0
  for _, pair in ipairs(request.pairs) do
    local name = pair.gameMode .. " " .. pair.region
    if not wished[name] and foyer.namespace.deployedVersionId then
      local pool = foyer.poolAt(foyer.namespace.deployedVersionId, pair.gameMode, pair.region)
      foyer.gatherPool(pool, request, gathered)
      privateCount = privateCount + foyer.poolCount(pool, "private")
    end
    wished[name] = true
  end
  for _, key in ipairs(call("ZRANGE", foyer.poolsKey, 0, -1)) do
    local pool = foyer.poolOf(key)
    if not foyer.isDeployed(pool) and wished[pool.gameMode .. " " .. pool.region] then
      if gathered.looksLeft == 0 then
        gathered.isCut = true
        break
      end
      foyer.gatherPool(pool, request, gathered)
    end
  end
  if chosen and not gathered.seen[chosen.id] then gathered.views[#gathered.views + 1] = foyer.viewLobby(chosen) end
  return {
    gathered.isCut and "1" or "0", tostring(privateCount), tostring(foyer.namespace.maxPlayers),
    foyer.namespace.deployedVersionId or false, chosen and chosen.id or false, gathered.views,
  }
end
