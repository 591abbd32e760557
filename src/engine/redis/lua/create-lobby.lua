-- Makes one lobby and seats its party, if it has one. Mirrors rules/create-lobby.ts.

-- How many idle lobbies this game mode and region of the deployed version lack; those still starting count as there.
local function missingIdle(made)
  local pool = foyer.poolAt(foyer.namespace.deployedVersionId or "", made.gameMode, made.region)
  local there = call("ZCARD", foyer.idleKey(pool)) + foyer.poolCount(pool, "idleStarting")
  return foyer.idleMinimum(made.gameMode, made.region) - there
end

return foyer.execute(function(command)
  local made = foyer.lobbyToMake(command)
  if not foyer.isCurrent(command.revision) then return foyer.refuse("STALE_REVISION") end
  local earlier = foyer.replay(command.clientId or "", command.idempotency)
  if earlier then return earlier end
  if not made.isExternal and not foyer.namespace.deployedVersionId then return foyer.refuse("NO_VERSION_DEPLOYED") end
  if not made.isExternal and foyer.namespace.deployedVersionId ~= made.versionId then return foyer.refuse("STALE_REVISION") end
  if command.reason == "warm" and missingIdle(made) <= 0 then return foyer.refuse("NOT_NEEDED") end
  local seated = command.keys and foyer.refuseSeated(command.clientId or "", command.keys)
  if seated then return seated end
  local clientRefusal = foyer.refuseClient(command.clientId or "", #command.playerIds)
  if clientRefusal then return clientRefusal end
  if command.startRefusal then return foyer.refuse(command.startRefusal) end
  local creationRefusal = foyer.refuseCreation(made, #command.playerIds)
  if creationRefusal then return creationRefusal end
  local codeRefusal = foyer.refuseCodes(made)
  if codeRefusal then return codeRefusal end
  local wrong = foyer.checkNewIds(command, made)
  if wrong then return wrong end

  return foyer.seatParty(foyer.makeLobby(made, command.registeredBy), command, true)
end, true)
