-- Everything due has been done before any rule runs, this one included; it tells when there is next something to do.
-- Mirrors rules/expire.ts.
return execute(function()
  local dueAt = nextDueAt()
  return accept(dueAt == never and "" or tostring(dueAt))
end)
