-- The start of every script, command or query: checks the time, and handles deadlines that are due. An answer is a list
-- that begins with OK, NO (a refusal), MORE (run it again), LATE, EARLY, DEAF, GONE or ERROR. It is returned with the
-- position of its last event, and with this server's time.
--
-- ARGV has eleven of each command, and a query the same: the command, the operation's id, when its sender sent it, the
-- lobby to make in two texts, "again" for another run of what was answered MORE, this server's time from which on the
-- command must not be decided, because its sender has given up by then; and what the sender knows from hearing.ts:
-- since when nodes receive heartbeats, when it got that answer, and, if it could not reach this namespace, since when; last,
-- a find's wishes. The two texts of a lobby and the wishes are "=" where they are those of the command before.
function foyer.arg(at) return ARGV[foyer.argsBefore + at] end

function foyer.sharedArg(at)
  for before = foyer.argsBefore, 0, -11 do
    if ARGV[before + at] ~= "=" then return ARGV[before + at] end
  end
end

-- The command, with its wishes as if they were its own fields.
function foyer.readCommand()
  local command, wishes = cjson.decode(foyer.arg(1)), foyer.arg(11)
  if wishes == "" then return command end
  if wishes ~= "=" then foyer.wishes = { __index = cjson.decode(wishes) } end
  return setmetatable(command, foyer.wishes)
end

function foyer.accept(...) return { "OK", ... } end
function foyer.refuse(code) return { "NO", code } end

function foyer.wallClock()
  local time = call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Nil: the sender's clock is right enough, and it still waits. A sender whose clock is ahead would end what is not due
-- yet.
function foyer.refuseTime(wall)
  local lateMs, earlyMs = 10000, 2000
  local agoMs = wall - foyer.arg(3)
  if agoMs > lateMs or wall - foyer.arg(7) >= 0 then return { "LATE" } end
  if agoMs < -earlyMs then return { "EARLY" } end
end

-- Whether the sender's knowledge about heartbeats is too old. It may have missed that no node received heartbeats for a
-- while, and would end lobbies that could not send them.
function foyer.isDeaf(wall) return wall - foyer.arg(9) > 4000 end

-- Heartbeat clocks start over when heartbeats can be heard again: before anything due is done, and by one number for all.
function foyer.noteHearing(wall, now)
  local namespace, since, unreachedSince = foyer.namespace, foyer.arg(8), foyer.arg(10)
  if since ~= namespace.hearingSince and tonumber(since) > (tonumber(namespace.hearingSince) or 0) then
    foyer.put(namespace, "hearingSince", since)
    foyer.hearFrom(now - math.max(0, wall - since))
  end
  if unreachedSince ~= "" and (namespace.touched or 0) - unreachedSince <= 0 then foyer.hearFrom(now) end
end

-- Finishes what an earlier run has begun, then does what is due. False: there is more.
function foyer.catchUp(now)
  if foyer.namespace.sweepFrom and not foyer.sweepOn() then return false end
  return foyer.expireDue(now)
end
