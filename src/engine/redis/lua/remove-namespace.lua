-- Stops every lobby and forgets the namespace, whose configuration is remembered as removed for a while, so that a late
-- `configure` does not bring it back. Mirrors rules/remove-namespace.ts. A large namespace goes in many short runs, and counts
-- as removed from the first one on, so that nothing comes into it meanwhile.
local lobbiesMax, seatsMax, recordsMax = 30, 100, 200

-- Like endLobby, for a lobby that is removed in the same run: it gets no deadline, and no idle lobby takes its place.
local function endForGood(lobby)
  foyer.removeFromPool(lobby)
  foyer.countLobby(lobby, -1)
  foyer.patchLobby(lobby, {
    status = "stopped", stoppedAt = foyer.namespace.now, stopReason = "namespace_removed", exit = foyer.null,
  })
  for _, id in ipairs(foyer.seatedIds(lobby.id)) do foyer.endSeat(foyer.findPlayer(id), "ended") end
  foyer.emitLobby("lobby.stopped", lobby)
end

local function endSome()
  local ids = call("ZRANGE", foyer.lobbiesKey, 0, lobbiesMax - 1)
  local seats = 0
  for _, id in ipairs(ids) do
    local lobby = foyer.findLobby(id)
    seats = seats + foyer.takenSeats(lobby)
    if foyer.isLiving(lobby) then endForGood(lobby) end
    foyer.removeLobby(lobby)
    if seats > seatsMax then return false end
  end
  return #ids < lobbiesMax
end

-- What is left are seats that have ended and keys, and each of them has a timer.
local function forgetSome()
  foyer.writePostponed()
  local members = call("ZRANGE", foyer.timersKey, 0, recordsMax - 1)
  for _, member in ipairs(members) do
    local kind, id = string.sub(member, 1, 1), string.sub(member, 2)
    if kind == foyer.keyKind then foyer.removeKey(id) else foyer.removePlayer(foyer.findPlayer(id)) end
  end
  return #members < recordsMax
end

local function removingTogether(work)
  foyer.collectRemovals()
  local isDone = work()
  foyer.writeRemovals()
  return isDone
end

return foyer.execute(function(command)
  local namespace = foyer.namespace
  if not command.force and namespace.startingCount + namespace.readyCount > 0 then
    return foyer.refuse("NAMESPACE_NOT_EMPTY")
  end

  if namespace.revision == nil then
    foyer.putNamespace({ revision = 0, lobbyCountMax = 0, maxPlayers = 0, removedAt = namespace.now }, {})
  elseif not namespace.removedAt then
    foyer.put(namespace, "removedAt", namespace.now)
  end
  if command.onlyMark then return foyer.accept() end
  if not removingTogether(endSome) or not removingTogether(forgetSome) then return { "MORE" } end
  return foyer.accept()
end)
