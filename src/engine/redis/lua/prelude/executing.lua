-- How a command runs: what is due happens first, then the rule, then what the rule made due. Commands that were sent
-- together run one after the other, each as if it were alone; the changes and events of all of them are written once.

-- What this operation was answered before, if it had its effect already. A seat is taken once, so it remembers the
-- operation that took it; of any other operation the answer is kept for a while.
function foyer.resent(seatId)
  local kept
  if seatId then kept = call("HGET", foyer.playerKey(seatId), "op") else kept = call("GET", foyer.opKey()) end
  return kept and foyer.answerAgain(kept, seatId)
end

function foyer.opKey() return stem .. "op:" .. foyer.arg(2) end

function foyer.decide(rule, isSeating, wall)
  local wrongTime = foyer.refuseTime(wall)
  if wrongTime then return wrongTime end
  if foyer.isDeaf(wall) then return { "DEAF" } end
  local command = foyer.decoded[foyer.argsBefore] or foyer.readCommand()
  local seatId = isSeating and command.playerIds[1]
  local earlier = not foyer.areNew and foyer.resent(seatId)
  if earlier then return earlier end
  local namespace = foyer.namespace or foyer.loadNamespace()
  local fence = command.fence
  if fence then
    if namespace.fence and fence < namespace.fence then return foyer.refuse("LEASE_LOST") end
    if fence ~= namespace.fence then foyer.put(namespace, "fence", fence) end
  end
  local now = math.max(command.now, namespace.now)
  foyer.noteHearing(wall, now)
  if not namespace.hasNodeIndex then foyer.indexNodes(namespace) end
  if command.type == "restarted" then foyer.hearFrom(now) end
  local isBehind = foyer.caughtUpAt ~= now or namespace.sweepFrom
  if isBehind and not foyer.catchUp(now) then return { "MORE" } end

  foyer.caughtUpAt = now
  foyer.hasChanged = false
  local reply, seatedIn = rule(command)
  local isEffect = foyer.hasChanged
  if foyer.hasDue and not namespace.sweepFrom then
    foyer.expired = 0
    foyer.expireDue(now)
  end
  -- Records that a node reached the namespace, for nodes that could not.
  if isEffect or command.type == "expire" then foyer.put(namespace, "touched", wall) end
  if isEffect and not seatId then
    local kept = seatedIn and "S" .. reply[2] .. " " .. seatedIn or cjson.encode(reply)
    call("SET", foyer.opKey(), kept, "PX", "30000")
  end
  return reply
end

-- `isSeating`: the rule seats a party. The answer to one command is given as it is, those to several as one list after ALL.
function foyer.execute(rule, isSeating)
  local wall = foyer.wallClock()
  if #ARGV > 11 then return foyer.executeAll(rule, isSeating, wall) end
  local decided = foyer.decide(rule, isSeating, wall)
  if foyer.namespace then foyer.flush() end
  return { foyer.lastPosition, decided, wall }
end

-- Whether any of these operations may have had its effect already is seen by the first seat of each, with one call for all.
function foyer.lookForSeats()
  local keys = {}
  for before = 0, #ARGV - 1, 11 do
    foyer.argsBefore = before
    local command = foyer.readCommand()
    foyer.decoded[before] = command
    keys[#keys + 1] = foyer.playerKey(command.playerIds[1])
  end
  foyer.areNew = call("EXISTS", unpack(keys)) == 0
end

-- A mistake of ours in one command must not take from the others what they have written.
function foyer.executeAll(rule, isSeating, wall)
  local answers, isBehind = { "ALL" }, false
  if isSeating then foyer.lookForSeats() end
  for before = 0, #ARGV - 1, 11 do
    foyer.argsBefore = before
    local isWell, decided = true, { "MORE" }
    if not isBehind then isWell, decided = pcall(foyer.decide, rule, isSeating, wall) end
    if not isWell then decided = foyer.fail(type(decided) == "table" and decided.err or tostring(decided)) end
    -- Whatever keeps one command waiting keeps the next one waiting too.
    isBehind = decided[1] == "MORE"
    answers[#answers + 1] = decided
  end
  if foyer.namespace then foyer.flush() end
  return { foyer.lastPosition, answers, wall }
end
