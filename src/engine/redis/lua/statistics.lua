-- Taken seats per pool; the caller adds up the versions.
return foyer.answer(function()
  local taken = {}
  for _, key in ipairs(call("ZRANGE", foyer.poolsKey, 0, -1)) do
    local pool = foyer.poolOf(key)
    taken[#taken + 1] = { pool.gameMode, pool.region, tostring(foyer.poolCount(pool, "taken")) }
  end
  return { "OK", tostring(foyer.namespace.reservedCount + foyer.namespace.connectedCount + foyer.namespace.heldCount), taken }
end)
