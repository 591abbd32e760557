-- Everything due has been done before any rule runs, this one included; it tells when there is next something to do.
-- Mirrors rules/expire.ts.
return foyer.execute(function()
  local dueAt = foyer.nextDueAt()
  return foyer.accept(dueAt == foyer.never and "" or tostring(dueAt))
end)
