-- What every script begins with, whether it decides or only looks: is it in time, and what happened by itself meanwhile?
-- An answer is a list that begins with OK, NO (a refusal), MORE (run it again), LATE, EARLY, GONE or FAULT. It is given together
-- with the position of the last event that it told, and with this server's time.
--
-- ARGV has seven of each command, and a query the same: the command, the operation's id, when its sender sent it, the lobby
-- to make in two texts, "again" for another run of what was answered MORE, and this server's time after which the command
-- must not be decided, because its sender has given it up by then.
function foyer.arg(at) return ARGV[foyer.argsBefore + at] end

function foyer.accept(...) return { "OK", ... } end
function foyer.refuse(code) return { "NO", code } end

function foyer.wallClock()
  local time = call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Nil: the sender's clock is right enough, and it still waits. The clock of a sender that is ahead would end what is not due
-- yet, for everybody.
function foyer.refuseTime(wall)
  local lateMs, earlyMs = 10000, 2000
  local agoMs = wall - foyer.arg(3)
  if agoMs > lateMs or wall - foyer.arg(7) >= 0 then return { "LATE" } end
  if agoMs < -earlyMs then return { "EARLY" } end
end

-- Where nobody has looked after the namespace for a while, the service was down.
function foyer.restartIfDown(wall, now)
  local restartMs = 15000
  local touched = foyer.namespace.touched
  if not touched or wall - touched <= restartMs then return end
  foyer.beginSweep(now)
  foyer.put(foyer.namespace, "touched", wall)
end

-- Finishes what an earlier run has begun, then does what is due. False: there is more.
function foyer.catchUp(now)
  if foyer.namespace.sweepFrom and not foyer.sweepOn() then return false end
  return foyer.expireDue(now)
end

-- Rarely:
-- Told before anything is written: the caller built a command that cannot be.
function foyer.fault(message) return { "FAULT", message } end
