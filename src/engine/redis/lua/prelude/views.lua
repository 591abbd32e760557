-- Copies for answers and events: what rules look into as one line, texts as they are. read-views.ts reads them.
function foyer.viewLobby(lobby)
  local taken = foyer.takenSeats(lobby)
  local texts = foyer.textsOf(lobby)
  if not lobby.head then lobby.head = table.concat({ $lobby.lineHead }, ",") end
  local line = table.concat({ lobby.head, $lobby.lineTail }, ",")
  return { lobby.id, line, texts.made, $lobby.shownTexts }
end

-- There are more of these than of all others, so each is one field. Ids have no space.
function foyer.emitPlayer(type, player, reason)
  local line = foyer.textOf(foyer.namespace.now) .. " " .. player.lobbyId .. " " .. player.id .. " " .. player.status
  -- Seldom: why the seat ended ("-" if its status says so) and the player's key.
  if player.playerKey then line = line .. " " .. (reason or "-") .. " " .. foyer.showKey(player)
  elseif reason then line = line .. " " .. reason end
  foyer.events[#foyer.events + 1] = { type, line }
end

-- The stream keeps at least 10,000; a message wakes each listener once, which reads from its position.
function foyer.tellEvents()
  local events = foyer.events
  if #events == 0 then return end
  for at = 1, #events do
    foyer.lastPosition = call("XADD", foyer.eventsKey, "MAXLEN", "~", "10000", "*", unpack(events[at]))
  end
  local prefix, namespaceId = string.match(stem, "^(.-):{(.*)}:$")
  call("PUBLISH", prefix .. ":events", namespaceId)
  foyer.events = {}
end
