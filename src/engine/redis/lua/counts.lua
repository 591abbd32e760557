-- Living lobbies, taken seats, the revision, and when something is next due.
return foyer.answer(function()
  local dueAt = foyer.isRetiring() and foyer.namespace.now or foyer.nextDueAt()
  local isThere = foyer.namespace.revision ~= nil and foyer.namespace.removedAt == nil
  return {
    "OK", isThere and tostring(foyer.namespace.revision) or "", tostring(foyer.namespace.startingCount), tostring(foyer.namespace.readyCount),
    tostring(foyer.namespace.reservedCount), tostring(foyer.namespace.connectedCount), tostring(foyer.namespace.heldCount),
    dueAt == foyer.never and "" or tostring(dueAt),
  }
end)
