-- Lobbies of one kind by id, searched in bounded steps, for callers that need few of very many. Without a status: any
-- living lobby, with "any" stopped ones too; an empty node id means no node. The lobbies of a node have a list of their own.
local function isWanted(wanted, status, nodeId)
  if wanted.status and wanted.status ~= "any" and status ~= wanted.status then return false end
  if not wanted.status and status == "stopped" then return false end
  if wanted.nodeId and (nodeId or "") ~= wanted.nodeId then return false end
  if not wanted.exceptNodeIds then return true end
  for _, other in ipairs(wanted.exceptNodeIds) do
    if nodeId == other then return false end
  end
  return nodeId ~= false
end

return foyer.answer(function(query)
  local views = {}
  local from = query.after and "(" .. query.after or "-"
  local nodeId = query.wanted.nodeId
  local key = nodeId and nodeId ~= "" and foyer.nodeKey(nodeId) or foyer.lobbiesKey
  local ids = call("ZRANGE", key, from, "+", "BYLEX", "LIMIT", 0, $lobbiesPerStepMax)
  for at = 1, #ids do
    local facts = call("HMGET", foyer.lobbyKey(ids[at]), "status", "nodeId")
    if isWanted(query.wanted, facts[1], facts[2]) then views[#views + 1] = foyer.viewLobby(foyer.findLobby(ids[at])) end
  end
  return { "OK", views, #ids == $lobbiesPerStepMax and ids[#ids] or false }
end)
