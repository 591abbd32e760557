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
  call("DEL", record.key)
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
