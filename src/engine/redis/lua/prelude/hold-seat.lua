-- Mirrored from rules/hold-seat.ts: a dropped player may come back, and the seat stays taken until it does or the hold ends.
function foyer.holdSeat(player)
  foyer.changePlayer(player, { status = "held", heldAt = foyer.namespace.now, isMissing = false })
  foyer.emitPlayer("player.held", player)
end

function foyer.endHold(player)
  foyer.changePlayer(player, { status = "connected" })
  foyer.emitPlayer("player.returned", player)
end
