-- Sets limits and deployed version. Lowering a limit removes nobody. Empty lobbies of a version that is no longer deployed
-- are due at once. Mirrors rules/configure.ts.

-- The store's last word holds against anything else, also an older revision or a removal that failed.
local function isNews(command)
  if namespace.revision == nil then return true end
  if command.isAuthoritative then return namespace.removedAt ~= nil or namespace.revision ~= command.revision end
  return namespace.removedAt == nil and command.revision > namespace.revision
end

return execute(function(command)
  if not isNews(command) then return accept("0") end

  putNamespace(command, command.idleMinimums)
  emitConfigured()
  return accept("1")
end)
