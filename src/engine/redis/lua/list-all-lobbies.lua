-- The operator's list: every lobby by id.
local batch = 500

return foyer.answer(function(query)
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
