-- Sets limits and deployed version. Lowering a limit removes no player. Of empty lobbies of a version that is no
-- longer deployed the first end immediately, and the others in steps. Mirrors rules/configure.ts.

-- An authoritative row of the store wins over everything else, also with an older revision or after a failed removal.
local function isNews(command)
  if foyer.namespace.revision == nil then return true end
  if command.isAuthoritative then return foyer.namespace.removedAt ~= nil or foyer.namespace.revision ~= command.revision end
  return foyer.namespace.removedAt == nil and command.revision > foyer.namespace.revision
end

return foyer.execute(function(command)
  if not isNews(command) then return foyer.accept("0") end

  foyer.putNamespace(command, command.idleMinimums)
  foyer.emitConfigured()
  foyer.retireLobbies()
  return foyer.accept("1")
end)
