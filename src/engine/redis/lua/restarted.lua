-- The heartbeat clocks have started over already: that has to happen before anything that was due meanwhile is done.
-- Mirrors rules/restarted.ts.
return foyer.execute(function()
  return foyer.accept()
end)
