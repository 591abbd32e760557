-- What happens by itself, mirrored from rules/end-seat.ts, stop-lobby.ts, expire.ts and restarted.ts.

-- Ends a taken seat; it is remembered for a while, so that late calls get an exact answer.
local function endSeat(player, status)
  changePlayer(player, { status = status, endedAt = namespace.now, isMissing = false })
  emitPlayer(status == "expired" and "player.expired" or "player.left", player)
end

-- Its seats end with it.
local function endLobby(lobby, stopReason, exit)
  changeLobby(lobby, { status = "stopped", stoppedAt = namespace.now, stopReason = stopReason, exit = exit or null })
  for _, id in ipairs(call("ZRANGE", seatedKey(lobby.id), 0, -1)) do endSeat(findPlayer(id), "ended") end
  emitLobby("lobby.stopped", lobby)
end

local function expirePlayer(player)
  if isTaken(player) then endSeat(player, "expired") else removePlayer(player) end
end

local function expireLobby(lobby)
  if lobby.status == "stopped" then removeLobby(lobby)
  elseif readyDueAt(lobby) <= namespace.now then endLobby(lobby, "not_ready")
  elseif emptyDueAt(lobby) <= namespace.now then
    endLobby(lobby, isDeployed(poolOf(lobby.pool)) and "empty" or "outdated")
  elseif lobby.silentSince then endLobby(lobby, "silent")
  else
    changeLobby(lobby, { silentSince = namespace.now })
    emitLobby("lobby.changed", lobby)
  end
end

local function expireRecord(member)
  local kind, id = string.sub(member, 1, 1), string.sub(member, 2)
  if kind == playerKind then expirePlayer(findPlayer(id))
  elseif kind == lobbyKind then expireLobby(findLobby(id))
  else removeKey(id) end
end

-- So much at most in one run, so that no other namespace waits for long.
local recordsMax = 500

-- Does everything that is due by `now`, in the order of its deadlines and as of each deadline. False: there is more; what
-- is there is true as of the last deadline, and the next run goes on from it.
local function expireDue(now)
  for left = recordsMax, 0, -1 do
    local first = call("ZRANGE", timersKey, 0, 0, "WITHSCORES")
    local dueAt = tonumber(first[2]) or never
    if dueAt > now then break end
    if left == 0 then return false end
    if dueAt > namespace.now then put(namespace, "now", dueAt) end
    expireRecord(first[1])
  end
  if now > namespace.now then put(namespace, "now", now) end
  if namespace.removedAt and namespace.removedAt + rememberedMs <= now then putNamespace({}, {}) end
  return true
end

-- Nobody could send heartbeats while the service was down, so their clocks start anew, before anything due is done.
local function restartHeartbeats(now)
  for _, id in ipairs(call("ZRANGE", lobbiesKey, 0, -1)) do
    local lobby = findLobby(id)
    if isLiving(lobby) and lobby.heartbeatMs ~= 0 then
      if lobby.silentSince then changeLobby(lobby, { silentSince = now }) else noteHeartbeat(lobby, now) end
    end
  end
end
