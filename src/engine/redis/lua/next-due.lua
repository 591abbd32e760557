-- Whether there is such a namespace and when something is next due in it. Lets nothing happen.
foyer.loadNamespace()
local dueAt = (foyer.namespace.sweepFrom or foyer.isRetiring()) and foyer.namespace.now or foyer.nextDueAt()
return { foyer.namespace.isUnwritten and "0" or "1", dueAt == foyer.never and "" or tostring(dueAt) }
