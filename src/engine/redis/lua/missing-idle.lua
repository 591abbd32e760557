-- Per wanted pair its minimum and how many idle lobbies are there; whoever asks works out what is missing.
return answer(function()
  local wanted = {}
  if namespace.revision == nil or namespace.removedAt then return { "OK", "0", wanted } end
  local minimums = call("HGETALL", minimumsKey)
  for at = 1, #minimums, 2 do
    local gameMode, region = string.match(minimums[at], "^(%S+) (%S+)$")
    local pool = poolOf(poolKey(namespace.deployedVersionId or "", gameMode, region))
    local there = call("ZCARD", idleKey(pool)) + poolCount(pool, "idleStarting")
    wanted[#wanted + 1] = { gameMode, region, minimums[at + 1], tostring(there) }
  end
  local room = namespace.lobbyCountMax - namespace.startingCount - namespace.readyCount
  return { "OK", tostring(room), wanted }
end)
