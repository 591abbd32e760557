-- Living lobbies, taken seats, the revision, and when something is next due.
return answer(function()
  local dueAt = nextDueAt()
  local isThere = namespace.revision ~= nil and namespace.removedAt == nil
  return {
    "OK", isThere and tostring(namespace.revision) or "", tostring(namespace.startingCount), tostring(namespace.readyCount),
    tostring(namespace.reservedCount), tostring(namespace.connectedCount), dueAt == never and "" or tostring(dueAt),
  }
end)
