-- Commands that run together change the same sets again and again, and a call of Redis costs more than most rules. So what
-- a seat adds to an index is written once for all of them, before the run ends or anything reads it.

-- Redis writes out every number that it is given. Within a run the same times come again and again.
function foyer.textOf(number)
  local text = foyer.numberTexts[number]
  if not text then
    text = string.format("%.17g", number)
    foyer.numberTexts[number] = text
  end
  return text
end

function foyer.addTimer(member, dueAt)
  if foyer.oldTimers[1] then foyer.writeTimers() end
  local timers = foyer.newTimers
  timers[#timers + 1] = foyer.textOf(dueAt)
  timers[#timers + 1] = member
  foyer.isPostponed = true
  if #timers >= 400 then foyer.writeTimers() end
end

function foyer.dropTimer(member)
  if foyer.newTimers[1] then foyer.writeTimers() end
  local timers = foyer.oldTimers
  timers[#timers + 1] = member
  foyer.isPostponed = true
  if #timers >= 400 then foyer.writeTimers() end
end

function foyer.addSeat(lobby, player)
  local seats = foyer.newSeats[lobby.id]
  if not seats then
    seats = {}
    foyer.newSeats[lobby.id] = seats
  end
  seats[#seats + 1] = "0"
  seats[#seats + 1] = player.id
  foyer.newClients[player.clientId] = (foyer.newClients[player.clientId] or 0) + 1
  foyer.isPostponed = true
  if #seats >= 400 then foyer.writeSeats() end
end

function foyer.writeTimers()
  if foyer.newTimers[1] then call("ZADD", foyer.timersKey, unpack(foyer.newTimers)) end
  if foyer.oldTimers[1] then call("ZREM", foyer.timersKey, unpack(foyer.oldTimers)) end
  foyer.newTimers, foyer.oldTimers = {}, {}
end

function foyer.writeSeats()
  for lobbyId, seats in pairs(foyer.newSeats) do call("ZADD", foyer.seatedKey(lobbyId), unpack(seats)) end
  foyer.newSeats = {}
end

-- The groups of a lobby whose seats have changed are in order again.
function foyer.writeOrder()
  for _, lobby in pairs(foyer.unordered) do foyer.orderInGroups(lobby) end
  foyer.unordered = {}
end

function foyer.writePostponed()
  if not foyer.isPostponed then return end
  foyer.isPostponed = false
  foyer.writeTimers()
  foyer.writeSeats()
  for clientId, seats in pairs(foyer.newClients) do call("HINCRBY", foyer.clientsKey, clientId, seats) end
  foyer.newClients = {}
  foyer.writeOrder()
end

-- The players with a seat in a lobby, by id.
function foyer.seatedIds(lobbyId)
  foyer.writePostponed()
  return call("ZRANGE", foyer.seatedKey(lobbyId), "0", "-1")
end
