-- The events after a position, or GONE if some of them are no longer kept. ARGV: the position, how many at most.
local position, max = ARGV[1], ARGV[2]

local function parts(id)
  local ms, sequence = string.match(id, "^(%d+)-(%d+)$")
  return tonumber(ms), tonumber(sequence)
end

local function isLater(a, b)
  local ms, sequence = parts(a)
  local otherMs, otherSequence = parts(b)
  return ms > otherMs or (ms == otherMs and sequence > otherSequence)
end

if call("EXISTS", foyer.eventsKey) == 0 then return { "GONE" } end
local info, facts = call("XINFO", "STREAM", foyer.eventsKey), {}
for at = 1, #info, 2 do facts[info[at]] = info[at + 1] end
-- An id that this stream has never given: it is another stream's, or of one that lost its end in a failover.
if isLater(position, facts["last-generated-id"]) then return { "GONE" } end
local first = facts["first-entry"]
local isWhole = facts["entries-added"] == facts["length"]
if not isWhole and (not first or isLater(first[1], position)) then return { "GONE" } end
return { "OK", call("XRANGE", foyer.eventsKey, "(" .. position, "+", "COUNT", max) }
