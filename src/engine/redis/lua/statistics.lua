-- Taken seats per pool; whoever shows them adds up the versions.
return answer(function()
  local taken = {}
  for _, key in ipairs(call("ZRANGE", poolsKey, 0, -1)) do
    local pool = poolOf(key)
    taken[#taken + 1] = { pool.gameMode, pool.region, tostring(poolCount(pool, "taken")) }
  end
  return { "OK", tostring(namespace.reservedCount + namespace.connectedCount), taken }
end)
