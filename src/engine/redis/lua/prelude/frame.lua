-- How every script runs: what is due happens first, then the rule or the query, then what the rule made due.
-- An answer is a list that begins with OK, NO (a refusal), MORE (run it again), LATE, GONE or FAULT. It is given together
-- with the position of the last event that it told.
local lateMs = 10000
local restartMs = 15000
local opKept = 30000

local function accept(...) return { "OK", ... } end
local function refuse(code) return { "NO", code } end
-- Told before anything is written: the caller built a command that cannot be.
local function fault(message) return { "FAULT", message } end

local function wallClock()
  local time = call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Where nobody has looked after the namespace for a while, the service was down.
local function restartIfDown(wall, now)
  if not namespace.touched or wall - namespace.touched <= restartMs then return end
  restartHeartbeats(now)
  put(namespace, "touched", wall)
end

-- The answer of an operation that had its effect already. A lobby is shown as it is now.
local function resent(stored)
  local isNew, lobbyId = string.match(stored, "^S(%d) (.+)$")
  if not isNew then return cjson.decode(stored) end
  loadNamespace()
  local lobby = findLobby(lobbyId)
  return lobby and accept(isNew, "0", "", viewLobby(lobby)) or { "GONE" }
end

local function decide(rule)
  local wall = wallClock()
  if wall - tonumber(ARGV[3]) > lateMs then return { "LATE" } end
  local opKey = stem .. "op:" .. ARGV[2]
  local stored = call("GET", opKey)
  if stored then return resent(stored) end
  local command = cjson.decode(ARGV[1])
  loadNamespace()
  if command.fence then
    if namespace.fence and command.fence < namespace.fence then return refuse("LEASE_LOST") end
    if command.fence ~= namespace.fence then put(namespace, "fence", command.fence) end
  end
  local now = math.max(command.now, namespace.now)
  restartIfDown(wall, now)
  if command.type == "restarted" then restartHeartbeats(now) end
  if command.type == "expire" then put(namespace, "touched", wall) end
  local isDone = expireDue(now)
  if #dirty > 0 then flush() end
  if not isDone then return { "MORE" } end

  hasChanged = false
  local answer, seatedIn = rule(command)
  local isEffect = hasChanged
  expireDue(now)
  flush()
  if isEffect then
    local kept = seatedIn and "S" .. answer[2] .. " " .. seatedIn or cjson.encode(answer)
    call("SET", opKey, kept, "PX", opKept)
  end
  return answer
end

-- ARGV: the command, the operation's id, when its sender sent it.
local function execute(rule)
  local decided = decide(rule)
  return { position, decided }
end

local function look(reader)
  local query = cjson.decode(ARGV[1])
  loadNamespace()
  local now = math.max(query.now, namespace.now)
  restartIfDown(wallClock(), now)
  if nextDueAt() <= now and not expireDue(now) then
    flush()
    return { "MORE" }
  end
  if #dirty > 0 then flush() end
  return reader(query)
end

-- ARGV: the query. A read that finds nothing due writes nothing, not even its time.
local function answer(reader)
  local found = look(reader)
  return { position, found }
end
