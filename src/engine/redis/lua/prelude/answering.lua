-- How a query runs: what is due happens first. A read that finds nothing due writes nothing, not even its time.
function foyer.look(reader, wall)
  local wrongTime = foyer.refuseTime(wall)
  if wrongTime then return wrongTime end
  if foyer.isDeaf(wall) then return { "DEAF" } end
  local query = cjson.decode(foyer.arg(1))
  foyer.loadNamespace()
  local now = math.max(query.now, foyer.namespace.now)
  foyer.noteHearing(wall, now)
  if not foyer.namespace.hasNodeIndex then foyer.indexNodes(foyer.namespace) end
  local isBehind = foyer.namespace.sweepFrom or foyer.nextDueAt() <= now
  if isBehind and not foyer.catchUp(now) then
    foyer.flush()
    return { "MORE" }
  end
  if #foyer.dirty > 0 or foyer.isPostponed then foyer.flush() end
  return reader(query)
end

function foyer.answer(reader)
  local wall = foyer.wallClock()
  local found = foyer.look(reader, wall)
  return { foyer.lastPosition, found, wall }
end
