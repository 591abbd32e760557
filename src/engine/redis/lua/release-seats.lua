-- Ends the seats of a call that gave up, reserved ones only: a player that has connected meanwhile plays on.
-- Mirrors rules/release-seats.ts.
return foyer.execute(function(command)
  local released = 0
  for _, id in ipairs(command.playerIds) do
    local player = foyer.findPlayer(id)
    if player and player.status == "reserved" then
      foyer.endSeat(player, "released")
      released = released + 1
    end
  end
  return foyer.accept(tostring(released))
end)
