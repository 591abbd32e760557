-- Makes one lobby and seats its party, if it has one. Mirrors rules/create-lobby.ts.

-- How many idle lobbies this game mode and region of the deployed version lack; those still starting count as there.
local function missingIdle(made)
  local pool = poolOf(poolKey(namespace.deployedVersionId or "", made.gameMode, made.region))
  local there = call("ZCARD", idleKey(pool)) + poolCount(pool, "idleStarting")
  return idleMinimum(made.gameMode, made.region) - there
end

return execute(function(command)
  local made, text = lobbyToMake()
  if not isCurrent(command.revision) then return refuse("STALE_REVISION") end
  local earlier = replay(command.clientId or "", command.idempotency)
  if earlier then return earlier end
  if not made.isExternal and not namespace.deployedVersionId then return refuse("NO_VERSION_DEPLOYED") end
  if not made.isExternal and namespace.deployedVersionId ~= made.versionId then return refuse("STALE_REVISION") end
  if command.reason == "warm" and missingIdle(made) <= 0 then return refuse("NOT_NEEDED") end
  local clientRefusal = refuseClient(command.clientId or "", #command.playerIds)
  if clientRefusal then return clientRefusal end
  local creationRefusal = refuseCreation(made, #command.playerIds)
  if creationRefusal then return creationRefusal end
  local wrong = faultOfIds(command.playerIds, made)
  if wrong then return wrong end

  return seatParty(makeLobby(made, text), command, true)
end)
