-- Stops every lobby and forgets the namespace, whose configuration is remembered as removed for a while, so that a late
-- `configure` does not bring it back. Mirrors rules/remove-namespace.ts. A large namespace goes in several runs.
local function forgetAll(left)
  local timed = call("ZRANGE", foyer.timersKey, 0, left - 1)
  for _, member in ipairs(timed) do
    local kind, id = string.sub(member, 1, 1), string.sub(member, 2)
    if kind == foyer.keyKind then foyer.removeKey(id)
    elseif kind == foyer.playerKind then foyer.removePlayer(foyer.findPlayer(id))
    else foyer.removeLobby(foyer.findLobby(id)) end
  end
  return left - #timed
end

return foyer.execute(function(command)
  if not command.force and foyer.namespace.startingCount + foyer.namespace.readyCount > 0 then return foyer.refuse("NAMESPACE_NOT_EMPTY") end

  local left = foyer.recordsMax
  for _, id in ipairs(call("ZRANGE", foyer.lobbiesKey, 0, -1)) do
    local lobby = foyer.findLobby(id)
    if foyer.isLiving(lobby) then
      if left == 0 then return { "MORE" } end
      foyer.endLobby(lobby, "namespace_removed")
      left = left - 1
    end
  end
  if forgetAll(foyer.recordsMax) == 0 and call("ZCARD", foyer.timersKey) > 0 then return { "MORE" } end
  if foyer.namespace.revision == nil then
    foyer.putNamespace({ revision = 0, lobbyCountMax = 0, maxPlayers = 0, removedAt = foyer.namespace.now }, {})
  elseif not foyer.namespace.removedAt then
    foyer.put(foyer.namespace, "removedAt", foyer.namespace.now)
  end
  return foyer.accept()
end)
