-- A lobby is shown as it is now. Nil: another operation took the seat, which is for the rule to say.
function foyer.answerAgain(kept, seatId)
  local isNew, rest = string.match(kept, "^S(%d) (.+)$")
  if not isNew then return cjson.decode(kept) end
  local player = seatId and foyer.findPlayer(seatId)
  if player and rest ~= foyer.arg(2) then return nil end
  if not foyer.namespace then foyer.loadNamespace() end
  local lobby = foyer.findLobby(player and player.lobbyId or rest)
  return lobby and foyer.accept(isNew, "0", "", foyer.viewLobby(lobby)) or { "GONE" }
end
