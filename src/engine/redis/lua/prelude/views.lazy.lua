function foyer.emitLobby(type, lobby)
  local view = foyer.viewLobby(lobby)
  local entry = { "type", type, "at", foyer.namespace.now, "lobby", view[1], "facts", view[2], "made", view[3] }
  for at, name in ipairs({ $lobby.shownTextNames }) do
    if view[at + 3] then
      entry[#entry + 1] = name
      entry[#entry + 1] = view[at + 3]
    end
  end
  foyer.events[#foyer.events + 1] = entry
end

function foyer.viewPlayer(player, lobby)
  local dueAt = foyer.isTaken(player) and foyer.playerDueAt(player, lobby) or foyer.never
  return { player.id, $player.view }
end

function foyer.emitConfigured()
  local entry = { "type", "namespace.configured", "at", foyer.namespace.now, "revision", foyer.namespace.revision }
  if foyer.namespace.deployedVersionId then
    entry[#entry + 1] = "version"
    entry[#entry + 1] = foyer.namespace.deployedVersionId
  end
  foyer.events[#foyer.events + 1] = entry
end
