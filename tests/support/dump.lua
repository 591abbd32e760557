-- Everything there is of a namespace, at one moment, for an audit. It reads all of it in one go: not for every day.
foyer.loadNamespace()
local function flatOf(key) return call("HGETALL", key) end

local lobbyRows, playerRows, keyRows, poolRows, playerIds = {}, {}, {}, {}, {}
local function addPlayerRow(id)
  if playerIds[id] then return end
  playerIds[id] = true
  playerRows[#playerRows + 1] = { id, flatOf(foyer.playerKey(id)) }
end

local tagKeys, known = { "" }, {}
local function addTagKey(tagKey)
  if known[tagKey] then return end
  known[tagKey] = true
  tagKeys[#tagKeys + 1] = tagKey
end

for _, id in ipairs(call("ZRANGE", foyer.lobbiesKey, 0, -1)) do
  local seated = call("ZRANGE", foyer.seatedKey(id), 0, -1)
  lobbyRows[#lobbyRows + 1] = { id, flatOf(foyer.lobbyKey(id)), flatOf(foyer.textsKey(id)), seated }
  for _, playerId in ipairs(seated) do addPlayerRow(playerId) end
  for _, tagKey in ipairs(foyer.tagKeysOf(foyer.findLobby(id))) do addTagKey(tagKey) end
end
local nodeRows, seenNodes = {}, {}
for _, row in ipairs(lobbyRows) do
  local nodeId = foyer.findLobby(row[1]).nodeId
  if nodeId and not seenNodes[nodeId] then
    seenNodes[nodeId] = true
    nodeRows[#nodeRows + 1] = { nodeId, call("ZRANGE", foyer.nodeKey(nodeId), 0, -1) }
  end
end
local timers = call("ZRANGE", foyer.timersKey, 0, -1, "WITHSCORES")
for at = 1, #timers, 2 do
  local kind, id = string.sub(timers[at], 1, 1), string.sub(timers[at], 2)
  if kind == foyer.playerKind then addPlayerRow(id) end
  if kind == foyer.keyKind then keyRows[#keyRows + 1] = { id, flatOf(foyer.keyKey(id)) } end
end
for _, key in ipairs(call("ZRANGE", foyer.poolsKey, 0, -1)) do
  local pool = foyer.poolOf(key)
  local groups = {}
  for _, tagKey in ipairs(tagKeys) do
    local sizes = flatOf(foyer.groupKey(pool, tagKey))
    for at = 1, #sizes, 2 do
      groups[#groups + 1] = {
        tagKey, sizes[at], sizes[at + 1], call("ZRANGE", foyer.sizedKey(pool, tagKey, sizes[at]), 0, -1, "WITHSCORES"),
      }
    end
  end
  poolRows[#poolRows + 1] = {
    key, flatOf(foyer.countsKey(pool)), call("ZRANGE", foyer.idleKey(pool), 0, -1), call("ZRANGE", foyer.barredKey(pool), 0, -1),
    call("ZRANGE", foyer.listedKey(pool), 0, -1), groups,
  }
end
return {
  flatOf(foyer.namespaceKey), flatOf(foyer.minimumsKey), lobbyRows, playerRows, keyRows, timers, flatOf(foyer.clientsKey), poolRows,
  flatOf(foyer.codesKey),
  flatOf(foyer.seatKeysKey), call("ZRANGE", foyer.keyedKey, 0, -1), nodeRows,
}
