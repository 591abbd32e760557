-- How a command runs: what is due happens first, then the rule, then what the rule made due.

-- What this operation was answered before, if it had its effect already. A seat is taken once, so the first seat of a party
-- remembers the operation that took it; of any other operation the answer is kept for a while.
function foyer.resent(seatId)
  local kept
  if seatId then kept = call("HGET", foyer.playerKey(seatId), "op") else kept = call("GET", foyer.opKey()) end
  return kept and foyer.answerAgain(kept, seatId)
end

function foyer.opKey() return stem .. "op:" .. ARGV[2] end

function foyer.decide(rule, isSeating)
  local wall = foyer.wallClock()
  local wrongTime = foyer.refuseTime(wall)
  if wrongTime then return wrongTime end
  local command = cjson.decode(ARGV[1])
  local seatId = isSeating and command.playerIds[1]
  local earlier = foyer.resent(seatId)
  if earlier then return earlier end
  foyer.loadNamespace()
  local namespace = foyer.namespace
  local fence = command.fence
  if fence then
    if namespace.fence and fence < namespace.fence then return foyer.refuse("LEASE_LOST") end
    if fence ~= namespace.fence then foyer.put(namespace, "fence", fence) end
  end
  local now = math.max(command.now, namespace.now)
  foyer.restartIfDown(wall, now)
  if command.type == "restarted" and ARGV[6] ~= "again" then foyer.beginSweep(now) end
  if command.type == "expire" then foyer.put(namespace, "touched", wall) end
  if not foyer.catchUp(now) then
    foyer.flush()
    return { "MORE" }
  end

  foyer.hasChanged = false
  local reply, seatedIn = rule(command)
  local isEffect = foyer.hasChanged
  if foyer.hasDue and not namespace.sweepFrom then foyer.expireDue(now) end
  foyer.flush()
  if isEffect and not seatId then
    local kept = seatedIn and "S" .. reply[2] .. " " .. seatedIn or cjson.encode(reply)
    call("SET", foyer.opKey(), kept, "PX", "30000")
  end
  return reply
end

-- ARGV: the command, the operation's id, when its sender sent it, the lobby to make in two texts, and "again" for another
-- run of a command that was answered MORE. `isSeating`: the rule seats a party.
function foyer.execute(rule, isSeating)
  local decided = foyer.decide(rule, isSeating)
  return { foyer.lastPosition, decided }
end

-- Rarely:
-- A lobby is shown as it is now. Nil: another operation took the seat, which is for the rule to say.
function foyer.answerAgain(kept, seatId)
  local isNew, rest = string.match(kept, "^S(%d) (.+)$")
  if not isNew then return cjson.decode(kept) end
  local player = seatId and foyer.findPlayer(seatId)
  if player and rest ~= ARGV[2] then return nil end
  foyer.loadNamespace()
  local lobby = foyer.findLobby(player and player.lobbyId or rest)
  return lobby and foyer.accept(isNew, "0", "", foyer.viewLobby(lobby)) or { "GONE" }
end
