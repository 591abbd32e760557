-- Due deadlines are handled before any rule runs, this one included; it answers when the next one is due. Mirrors
-- rules/expire.ts.
return foyer.execute(function(command)
  if command.isRetiring then foyer.retireLobbies() end
  local dueAt = foyer.isRetiring() and foyer.namespace.now or foyer.nextDueAt()
  return foyer.accept(dueAt == foyer.never and "" or tostring(dueAt))
end)
