-- A player gives up its own seat, reserved or held. Mirrors rules/release-player.ts.
return foyer.execute(function(command)
  local player = foyer.findPlayer(command.playerId)
  if player and player.status == "connected" then return foyer.refuse("PLAYER_ALREADY_CONNECTED") end
  if not player or not foyer.isTaken(player) then return foyer.accept("0") end

  foyer.endSeat(player, "released")
  return foyer.accept("1")
end)
