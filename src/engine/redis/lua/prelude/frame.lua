-- How every script runs: what is due happens first, then the rule or the query, then what the rule made due.
-- An answer is a list that begins with OK, NO (a refusal), MORE (run it again), LATE, EARLY, GONE or FAULT. It is given together
-- with the position of the last event that it told.
foyer.lateMs = 10000
-- The clock of a sender that is ahead would end what is not due yet, for everybody.
foyer.earlyMs = 2000
foyer.restartMs = 15000
foyer.opKept = 30000

function foyer.accept(...) return { "OK", ... } end
function foyer.refuse(code) return { "NO", code } end
-- Told before anything is written: the caller built a command that cannot be.
function foyer.fault(message) return { "FAULT", message } end

function foyer.wallClock()
  local time = call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Where nobody has looked after the namespace for a while, the service was down.
function foyer.restartIfDown(wall, now)
  if not foyer.namespace.touched or wall - foyer.namespace.touched <= foyer.restartMs then return end
  foyer.beginSweep(now)
  foyer.put(foyer.namespace, "touched", wall)
end

-- Finishes what an earlier run has begun, then does what is due. False: there is more.
function foyer.catchUp(now)
  if foyer.namespace.sweepFrom and not foyer.sweepOn() then return false end
  return foyer.expireDue(now)
end

-- The answer of an operation that had its effect already. A lobby is shown as it is now.
function foyer.resent(stored)
  local isNew, lobbyId = string.match(stored, "^S(%d) (.+)$")
  if not isNew then return cjson.decode(stored) end
  foyer.loadNamespace()
  local lobby = foyer.findLobby(lobbyId)
  return lobby and foyer.accept(isNew, "0", "", foyer.viewLobby(lobby)) or { "GONE" }
end

-- Nil: the sender's clock is right enough, and it has not waited for too long.
function foyer.refuseTime(wall)
  local agoMs = wall - tonumber(ARGV[3])
  if agoMs > foyer.lateMs then return { "LATE" } end
  if agoMs < -foyer.earlyMs then return { "EARLY" } end
end

function foyer.decide(rule)
  local wall = foyer.wallClock()
  local wrongTime = foyer.refuseTime(wall)
  if wrongTime then return wrongTime end
  local opKey = foyer.stem .. "op:" .. ARGV[2]
  local stored = call("GET", opKey)
  if stored then return foyer.resent(stored) end
  local command = cjson.decode(ARGV[1])
  foyer.loadNamespace()
  if command.fence then
    if foyer.namespace.fence and command.fence < foyer.namespace.fence then return foyer.refuse("LEASE_LOST") end
    if command.fence ~= foyer.namespace.fence then foyer.put(foyer.namespace, "fence", command.fence) end
  end
  local now = math.max(command.now, foyer.namespace.now)
  foyer.restartIfDown(wall, now)
  if command.type == "restarted" and ARGV[6] ~= "again" then foyer.beginSweep(now) end
  if command.type == "expire" then foyer.put(foyer.namespace, "touched", wall) end
  if not foyer.catchUp(now) then
    foyer.flush()
    return { "MORE" }
  end

  foyer.hasChanged = false
  local reply, seatedIn = rule(command)
  local isEffect = foyer.hasChanged
  if foyer.hasDue and not foyer.namespace.sweepFrom then foyer.expireDue(now) end
  foyer.flush()
  if isEffect then
    local kept = seatedIn and "S" .. reply[2] .. " " .. seatedIn or cjson.encode(reply)
    call("SET", opKey, kept, "PX", foyer.opKept)
  end
  return reply
end

-- ARGV: the command, the operation's id, when its sender sent it, the lobby to make in two texts, and "again" for another
-- run of a command that was answered MORE.
function foyer.execute(rule)
  local decided = foyer.decide(rule)
  return { foyer.lastPosition, decided }
end

function foyer.look(reader)
  local wall = foyer.wallClock()
  local wrongTime = foyer.refuseTime(wall)
  if wrongTime then return wrongTime end
  local query = cjson.decode(ARGV[1])
  foyer.loadNamespace()
  local now = math.max(query.now, foyer.namespace.now)
  foyer.restartIfDown(wall, now)
  local isBehind = foyer.namespace.sweepFrom or foyer.nextDueAt() <= now
  if isBehind and not foyer.catchUp(now) then
    foyer.flush()
    return { "MORE" }
  end
  if #foyer.dirty > 0 then foyer.flush() end
  return reader(query)
end

-- ARGV: the query. A read that finds nothing due writes nothing, not even its time.
function foyer.answer(reader)
  local found = foyer.look(reader)
  return { foyer.lastPosition, found }
end
