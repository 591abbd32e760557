-- What happens by itself, mirrored from rules/end-seat.ts, stop-lobby.ts and expire.ts.

-- Ends a taken seat; it is remembered for a while, so that late calls get an exact answer.
function foyer.endSeat(player, status, reason)
  foyer.changePlayer(player, { status = status, endedAt = foyer.namespace.now, isMissing = false })
  foyer.emitPlayer(status == "expired" and "player.expired" or "player.left", player, reason)
end

-- As expireDue, when something may be due.
function foyer.expireFirst(now)
  foyer.writePostponed()
  foyer.firstDueAt = tonumber(call("ZRANGE", foyer.timersKey, "0", "0", "WITHSCORES")[2]) or foyer.never
  if foyer.firstDueAt > now then return true end
  foyer.firstDueAt = -foyer.never
  return foyer.expireRecords(now)
end

-- Does everything that is due by `now`, in the order of its deadlines and as of each deadline. False: there is more;
-- the state is correct as of the last deadline, and the next run continues from it.
function foyer.expireDue(now)
  local namespace = foyer.namespace
  if foyer.firstDueAt <= now and not foyer.expireFirst(now) then return false end
  if now > namespace.now then foyer.put(namespace, "now", now) end
  if namespace.removedAt and namespace.removedAt + $rememberedMs <= now then foyer.putNamespace({}, {}) end
  return true
end
