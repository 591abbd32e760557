-- The operator's list: every lobby by id.
local batch = 500

-- The lobbies in which a player with the key has a seat, by id. A lobby has one member for each client with the key.
local function listWithKey(query)
  local views, last = {}, query.after
  local from = "[" .. query.playerKey .. " " .. (last and last .. "!" or "")
  while true do
    local members = call("ZRANGE", foyer.keyedKey, from, "(" .. query.playerKey .. "!", "BYLEX", "LIMIT", 0, batch)
    for _, member in ipairs(members) do
      local lobbyId = string.match(member, "^%S+ (%S+)")
      if lobbyId ~= last then
        if #views == query.limit then return { "OK", views, "1" } end
        views[#views + 1] = foyer.viewLobby(foyer.findLobby(lobbyId))
        last = lobbyId
      end
    end
    if #members < batch then return { "OK", views, "0" } end
    from = "(" .. members[#members]
  end
end

return foyer.answer(function(query)
  if query.playerKey then return listWithKey(query) end
  local views = {}
  local from = query.after and "(" .. query.after or "-"
  while true do
    local ids = call("ZRANGE", foyer.lobbiesKey, from, "+", "BYLEX", "LIMIT", 0, batch)
    for _, id in ipairs(ids) do
      local lobby = foyer.findLobby(id)
      if query.includeStopped or foyer.isLiving(lobby) then
        if #views == query.limit then return { "OK", views, "1" } end
        views[#views + 1] = foyer.viewLobby(lobby)
      end
    end
    if #ids < batch then return { "OK", views, "0" } end
    from = "(" .. ids[#ids]
  end
end)
