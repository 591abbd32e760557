function foyer.firstWithAll(pool, tagKey, size, takenMax, tagKeys)
  local batch = 100
  local offset = 0
  while true do
    local found = call("ZRANGE", foyer.sizedKey(pool, tagKey, size), -takenMax, "+inf", "BYSCORE", "LIMIT", offset, batch,
      "WITHSCORES")
    for at = 1, #found, 2 do
      if foyer.hasTags(pool, size, found[at], tagKeys) then return found[at], tonumber(found[at + 1]) end
    end
    if #found < 2 * batch then return nil end
    offset = offset + batch
  end
end

function foyer.hasTags(pool, size, age, tagKeys)
  for _, tagKey in ipairs(tagKeys) do
    if not call("ZSCORE", foyer.sizedKey(pool, tagKey, size), age) then return false end
  end
  return true
end
