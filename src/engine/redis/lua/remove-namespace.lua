-- Stops every lobby and forgets the namespace, whose configuration is remembered as removed for a while, so that a late
-- `configure` does not bring it back. Mirrors rules/remove-namespace.ts. A large namespace goes in several runs.
local function forgetAll(left)
  local timed = call("ZRANGE", timersKey, 0, left - 1)
  for _, member in ipairs(timed) do
    local kind, id = string.sub(member, 1, 1), string.sub(member, 2)
    if kind == keyKind then removeKey(id)
    elseif kind == playerKind then removePlayer(findPlayer(id))
    else removeLobby(findLobby(id)) end
  end
  return left - #timed
end

return execute(function(command)
  if not command.force and namespace.startingCount + namespace.readyCount > 0 then return refuse("NAMESPACE_NOT_EMPTY") end

  local left = recordsMax
  for _, id in ipairs(call("ZRANGE", lobbiesKey, 0, -1)) do
    local lobby = findLobby(id)
    if isLiving(lobby) then
      if left == 0 then return { "MORE" } end
      endLobby(lobby, "namespace_removed")
      left = left - 1
    end
  end
  if forgetAll(recordsMax) == 0 and call("ZCARD", timersKey) > 0 then return { "MORE" } end
  if namespace.revision == nil then
    putNamespace({ revision = 0, lobbyCountMax = 0, maxPlayers = 0, removedAt = namespace.now }, {})
  elseif not namespace.removedAt then
    put(namespace, "removedAt", namespace.now)
  end
  return accept()
end)
