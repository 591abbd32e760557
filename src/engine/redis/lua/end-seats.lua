-- Of the lobbies after a place, the taken seats of blocked clients end. Mirrors rules/end-seats.ts and client-ranges.ts.
local function parseIpv4(clientId)
  local a, b, c, d = string.match(clientId, "^(%d+)%.(%d+)%.(%d+)%.(%d+)$")
  if a then return 0, ((a * 256 + b) * 256 + c) * 256 + d end
end

-- The last four groups of a /64 are zero and left out, so the text before the two colons has the first ones.
local function parseIpv6(clientId)
  local text = string.match(clientId, "^([0-9a-f:]*)::/64$")
  if not text then return nil end
  local groups = {}
  for group in string.gmatch(text, "[0-9a-f]+") do groups[#groups + 1] = tonumber(group, 16) end
  return (groups[1] or 0) * 65536 + (groups[2] or 0), (groups[3] or 0) * 65536 + (groups[4] or 0)
end

local function isWithin(clientId, range)
  local high, low
  if range.family == 4 then high, low = parseIpv4(clientId) else high, low = parseIpv6(clientId) end
  return low ~= nil and high == range.high and low >= range.from and low <= range.to
end

return foyer.execute(function(command)
  local from = command.after and "(" .. command.after or "-"
  local seats, ended = 0, 0
  local ids = call("ZRANGE", foyer.lobbiesKey, from, "+", "BYLEX", "LIMIT", 0, $lobbiesPerStepMax)
  for at, lobbyId in ipairs(ids) do
    for _, id in ipairs(foyer.seatedIds(lobbyId)) do
      seats = seats + 1
      -- Most seats are not meant, and one field is read faster than all of them.
      if isWithin(call("HGET", foyer.playerKey(id), "clientId"), command.range) then
        foyer.endSeat(foyer.findPlayer(id), "left", "blocked")
        ended = ended + 1
      end
    end
    if at == $lobbiesPerStepMax or seats >= $seatsPerStepMax then return foyer.accept(tostring(ended), lobbyId) end
  end
  return foyer.accept(tostring(ended), "")
end)
