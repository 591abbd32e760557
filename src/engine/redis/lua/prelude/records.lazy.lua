function foyer.tagKeysOf(lobby)
  if not lobby.tagList then lobby.tagList = lobby.tagKeys and cjson.decode(lobby.tagKeys) or {} end
  return lobby.tagList
end

function foyer.loadHash(key) return foyer.loadInto({ key = key }) end

function foyer.newRecord(key, facts)
  facts.key = key
  facts.isNew = true
  return facts
end

function foyer.forget(record)
  foyer.hasChanged = true
  record.isGone = true
  foyer.erase(record.key)
end

-- A run that removes very much sets `dropped` and `erased`, and removes all of it with one call for each set.
function foyer.drop(key, member)
  local members = foyer.dropped and (foyer.dropped[key] or {})
  if not members then return call("ZREM", key, member) end
  foyer.dropped[key] = members
  members[#members + 1] = member
end

function foyer.erase(key)
  if foyer.erased then foyer.erased[#foyer.erased + 1] = key else call("DEL", key) end
end

function foyer.collectRemovals() foyer.dropped, foyer.erased = {}, {} end

function foyer.writeRemovals()
  for key, members in pairs(foyer.dropped) do call("ZREM", key, unpack(members)) end
  if foyer.erased[1] then call("DEL", unpack(foyer.erased)) end
  foyer.dropped, foyer.erased = nil, nil
end

function foyer.isListed(lobby)
  return lobby.status == "ready" and not lobby.isPrivate and lobby.silentSince == nil
end

-- By bytes: Lua compares texts by locale.
function foyer.isBefore(a, b)
  for at = 1, math.min(#a, #b) do
    local one, other = string.byte(a, at), string.byte(b, at)
    if one ~= other then return one < other end
  end
  return #a < #b
end
