-- Whether there is such a namespace and when something is next due in it. Lets nothing happen.
loadNamespace()
local dueAt = nextDueAt()
return { namespace.isUnwritten and "0" or "1", dueAt == never and "" or tostring(dueAt) }
