-- Sets limits and deployed version. Lowering a limit removes nobody. Empty lobbies of a version that is no longer deployed
-- are due at once. Mirrors rules/configure.ts.

-- The store's last word holds against anything else, also an older revision or a removal that failed.
local function isNews(command)
  if foyer.namespace.revision == nil then return true end
  if command.isAuthoritative then return foyer.namespace.removedAt ~= nil or foyer.namespace.revision ~= command.revision end
  return foyer.namespace.removedAt == nil and command.revision > foyer.namespace.revision
end

return foyer.execute(function(command)
  if not isNews(command) then return foyer.accept("0") end

  foyer.putNamespace(command, command.idleMinimums)
  foyer.emitConfigured()
  return foyer.accept("1")
end)
