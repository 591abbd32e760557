-- Ends the seats of a call that gave up, reserved ones only: a player that has connected meanwhile plays on.
-- Mirrors rules/release-seats.ts.
return execute(function(command)
  local released = 0
  for _, id in ipairs(command.playerIds) do
    local player = findPlayer(id)
    if player and player.status == "reserved" then
      endSeat(player, "released")
      released = released + 1
    end
  end
  return accept(tostring(released))
end)
