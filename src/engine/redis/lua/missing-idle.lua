-- Per wanted pair its minimum and its number of idle lobbies; the caller computes what is missing.
return foyer.answer(function()
  local wanted = {}
  if foyer.namespace.revision == nil or foyer.namespace.removedAt then return { "OK", "0", wanted } end
  local minimums = call("HGETALL", foyer.minimumsKey)
  for at = 1, #minimums, 2 do
    local gameMode, region = string.match(minimums[at], "^(%S+) (%S+)$")
    local pool = foyer.poolAt(foyer.namespace.deployedVersionId or "", gameMode, region)
    local there = call("ZCARD", foyer.idleKey(pool)) + foyer.poolCount(pool, "idleStarting")
    wanted[#wanted + 1] = { gameMode, region, minimums[at + 1], tostring(there) }
  end
  local room = foyer.namespace.lobbyCountMax - foyer.namespace.startingCount - foyer.namespace.readyCount
  return { "OK", tostring(room), wanted }
end)
