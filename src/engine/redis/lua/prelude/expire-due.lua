-- What happens by itself, mirrored from rules/end-seat.ts, stop-lobby.ts and expire.ts.

-- Ends a taken seat; it is remembered for a while, so that late calls get an exact answer.
function foyer.endSeat(player, status, reason)
  foyer.changePlayer(player, { status = status, endedAt = foyer.namespace.now, isMissing = false })
  foyer.emitPlayer(status == "expired" and "player.expired" or "player.left", player, reason)
end

-- Does everything that is due by `now`, in the order of its deadlines and as of each deadline. False: there is more;
-- the state is correct as of the last deadline, and the next run continues from it.
function foyer.expireDue(now)
  local namespace = foyer.namespace
  local dueAt = tonumber(call("ZRANGE", foyer.timersKey, "0", "0", "WITHSCORES")[2])
  if dueAt and dueAt <= now and not foyer.expireRecords(now) then return false end
  if now > namespace.now then foyer.put(namespace, "now", now) end
  if namespace.removedAt and namespace.removedAt + $rememberedMs <= now then foyer.putNamespace({}, {}) end
  return true
end
