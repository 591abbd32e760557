-- The public list: ready, public, speaking lobbies of the deployed version, by game mode, region and id.
local function wantedPools(query)
  local modes, wanted = {}, {}
  for _, gameMode in ipairs(query.gameModes) do modes[gameMode] = true end
  -- From the space that ends the version's id up to the next character.
  local from, to = "[" .. foyer.namespace.deployedVersionId .. " ", "(" .. foyer.namespace.deployedVersionId .. "!"
  for _, key in ipairs(call("ZRANGE", foyer.poolsKey, from, to, "BYLEX")) do
    local pool = foyer.poolOf(key)
    if modes[pool.gameMode] and (query.region == nil or query.region == pool.region) then wanted[#wanted + 1] = pool end
  end
  return wanted
end

return foyer.answer(function(query)
  local views, stateBytes = {}, 0
  local stateBytesMax = query.stateBytesMax or math.huge
  if not foyer.namespace.deployedVersionId then return { "OK", views, "0" } end
  local after = query.after
  local cursor = after and foyer.poolKey(foyer.namespace.deployedVersionId, after.gameMode, after.region)
  for _, pool in ipairs(wantedPools(query)) do
    local isCursor = pool.key == cursor
    if not cursor or isCursor or foyer.isBefore(cursor, pool.key) then
      local from = isCursor and "(" .. after.lobbyId or "-"
      for _, id in ipairs(call("ZRANGE", foyer.listedKey(pool), from, "+", "BYLEX", "LIMIT", 0, query.limit - #views + 1)) do
        if #views == query.limit then return { "OK", views, "1" } end
        local lobby = foyer.findLobby(id)
        stateBytes = stateBytes + #(foyer.textsOf(lobby).state or "")
        if #views > 0 and stateBytes > stateBytesMax then return { "OK", views, "1" } end
        views[#views + 1] = foyer.viewLobby(lobby)
      end
    end
  end
  return { "OK", views, "0" }
end)
