-- Its seats end with it.
function foyer.endLobby(lobby, stopReason, exit)
  foyer.changeLobby(lobby, { status = "stopped", stoppedAt = foyer.namespace.now, stopReason = stopReason, exit = exit or foyer.null })
  for _, id in ipairs(foyer.seatedIds(lobby.id)) do foyer.endSeat(foyer.findPlayer(id), "ended") end
  foyer.emitLobby("lobby.stopped", lobby)
end

-- One step over the lobbies that Foyer runs, after a deploy. Mirrors rules/retire-lobbies.ts.
function foyer.retireLobbies()
  if not foyer.isRetiring() then return end
  local ids = call("ZRANGE", foyer.lobbiesKey, foyer.namespace.retireFrom, "+", "BYLEX", "LIMIT", "0", $lobbiesPerStepMax)
  local ended, last = 0, nil
  for at, id in ipairs(ids) do
    if ended == $retiredPerStepMax then
      last = ids[at - 1]
      break
    end
    if at == $lobbiesPerStepMax then last = id end
    -- Most lobbies may be of the other kind, and one field is read faster than all of them.
    local lobby = call("HGET", foyer.lobbyKey(id), "isExternal") ~= "1" and foyer.findLobby(id)
    if lobby and foyer.isLiving(lobby) then
      if not foyer.isRetired(lobby) then foyer.retimeLobby(lobby)
      else
        foyer.endLobby(lobby, "outdated")
        ended = ended + 1
      end
    end
  end
  foyer.put(foyer.namespace, "retireFrom", last and "(" .. last or nil)
end

function foyer.expirePlayer(player)
  if not foyer.isTaken(player) then foyer.removePlayer(player)
  else foyer.endSeat(player, player.status == "held" and "not_returned" or "expired") end
end

-- Its timer may be from before heartbeat clocks restarted. That moves the deadlines of all lobbies together, so each
-- timer is moved when it rings, not before.
function foyer.expireLobby(lobby)
  if foyer.lobbyDueAt(lobby) ~= lobby.dueAt then foyer.retimeLobby(lobby)
  elseif lobby.status == "stopped" then foyer.removeLobby(lobby)
  elseif foyer.readyDueAt(lobby) <= foyer.namespace.now then foyer.endLobby(lobby, "not_ready")
  elseif foyer.emptyDueAt(lobby) <= foyer.namespace.now then
    foyer.endLobby(lobby, foyer.isDeployed(foyer.poolOf(lobby.pool)) and "empty" or "outdated")
  elseif lobby.silentSince then foyer.endLobby(lobby, "silent")
  else
    foyer.changeLobby(lobby, { silentSince = foyer.namespace.now })
    foyer.emitLobby("lobby.changed", lobby)
  end
end

function foyer.expireRecord(member)
  local kind, id = string.sub(member, 1, 1), string.sub(member, 2)
  local player = kind == foyer.playerKind and foyer.findPlayer(id)
  local lobby = kind == foyer.lobbyKind and foyer.findLobby(id)
  if player then foyer.expirePlayer(player)
  elseif lobby then foyer.expireLobby(lobby)
  elseif kind == foyer.keyKind then foyer.removeKey(id)
  -- A timer of nothing, or of a kind that this Foyer does not know: it would be due for ever.
  else foyer.dropTimer(member) end
end

-- False: there is more.
function foyer.expireRecords(now)
  while true do
    foyer.writePostponed()
    local first = call("ZRANGE", foyer.timersKey, "0", "0", "WITHSCORES")
    local dueAt = tonumber(first[2]) or foyer.never
    if dueAt > now then return true end
    if foyer.expired >= foyer.recordsMax then return false end
    foyer.expired = foyer.expired + 1
    if dueAt > foyer.namespace.now then foyer.put(foyer.namespace, "now", dueAt) end
    foyer.expireRecord(first[1])
  end
end
