-- One namespace, mirrored from state.ts. These are the only writers, so no rule can forget an index, a count or a deadline.

function foyer.setTimer(member, dueAt)
  foyer.addTimer(member, dueAt)
  if dueAt < foyer.firstDueAt then foyer.firstDueAt = dueAt end
  if dueAt <= foyer.namespace.now then foyer.hasDue = true end
end

function foyer.retimeLobby(lobby)
  local dueAt = foyer.lobbyDueAt(lobby)
  if dueAt == (lobby.dueAt or foyer.never) then return end
  if dueAt == foyer.never then
    foyer.dropTimer(foyer.lobbyKind .. lobby.id)
    foyer.put(lobby, "dueAt", nil)
  else
    foyer.setTimer(foyer.lobbyKind .. lobby.id, dueAt)
    foyer.put(lobby, "dueAt", dueAt)
  end
end

function foyer.retimePlayer(player, lobby)
  local dueAt = foyer.playerDueAt(player, lobby)
  if dueAt ~= foyer.never then foyer.setTimer(foyer.playerKind .. player.id, dueAt)
  elseif not player.isNew then foyer.dropTimer(foyer.playerKind .. player.id) end
end

-- Each status of a taken seat has a count of its name.
function foyer.countSeat(lobby, status, by)
  -- The counts are not in the head of its line.
  local head = lobby.head
  foyer.put(lobby, status, lobby[status] + by)
  lobby.head = head
  foyer.count(status .. "Count", by)
end

function foyer.takePlace(lobby, player)
  foyer.addSeat(lobby, player)
  foyer.countInPool(foyer.poolOf(lobby.pool), "taken", 1)
  if player.playerKey then foyer.addSeatKey(player) end
end

function foyer.leavePlace(lobby, player, takenBefore)
  foyer.writePostponed()
  foyer.poolOf(lobby.pool).lastFit = nil
  if takenBefore > lobby.peakBefore then foyer.put(lobby, "peakBefore", takenBefore) end
  call("ZREM", foyer.seatedKey(lobby.id), player.id)
  foyer.countInPool(foyer.poolOf(lobby.pool), "taken", -1)
  if call("HINCRBY", foyer.clientsKey, player.clientId, "-1") == 0 then call("HDEL", foyer.clientsKey, player.clientId) end
  if player.playerKey then foyer.removeSeatKey(player) end
  if foyer.takenSeats(lobby) == 0 then foyer.put(lobby, "emptySince", foyer.namespace.now) end
end

-- Brings lobby, pool, client and totals from the seat's earlier status (nil: it had no seat) to its present one.
function foyer.moveSeat(lobby, player, before)
  if before and foyer.isTaken(player) then
    foyer.countSeat(lobby, before, -1)
    foyer.countSeat(lobby, player.status, 1)
    return
  end
  local takenBefore = foyer.takenSeats(lobby)
  if foyer.isIdle(lobby) then
    foyer.removeFromIdle(lobby)
    foyer.noteIdleGone(lobby)
  end
  if before then foyer.countSeat(lobby, before, -1) else foyer.countSeat(lobby, player.status, 1) end
  if before then foyer.leavePlace(lobby, player, takenBefore) else foyer.takePlace(lobby, player) end
  foyer.reorderInGroups(lobby)
  if foyer.isIdle(lobby) then
    foyer.addToIdle(lobby)
    foyer.noteIdleCome(lobby)
  end
  foyer.retimeLobby(lobby)
end

-- A taken seat in this lobby. It is new and complete, so it is written immediately.
function foyer.addPlayer(lobby, id, needed, op)
  local key = foyer.playerKey(id)
  local player = { key = key, id = id, op = op, isNew = true, $player.first }
  foyer.players[id] = player
  call("HSET", key, "op", op, $player.pairs)
  $player.optionalPairs
  foyer.moveSeat(lobby, player, nil)
  foyer.retimePlayer(player, lobby)
  player.isNew = false
  return player
end

-- A lobby whose last taken seat ends here is empty from now on. A seat that has ended stays so.
function foyer.changePlayer(player, patch)
  local before = foyer.isTaken(player) and player.status or nil
  for field, value in pairs(patch) do foyer.put(player, field, value) end
  if before == player.status then return end
  local lobby = foyer.findLobby(player.lobbyId)
  if before then foyer.moveSeat(lobby, player, before) end
  foyer.retimePlayer(player, lobby)
end

function foyer.noteHeartbeat(lobby, at)
  foyer.put(lobby, "lastHeartbeatAt", at)
  foyer.retimeLobby(lobby)
end

-- Writes the changes and events of the run so far.
function foyer.flush()
  local namespace = foyer.namespace
  foyer.writePostponed()
  foyer.writePools()
  if namespace.isUnwritten or namespace.revision == nil then foyer.comeOrGo(namespace) end
  foyer.writeAll()
  foyer.tellEvents()
end
