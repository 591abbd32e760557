#!lua
-- When some node could last receive heartbeats, and since when without a break. ARGV: whether the sender receives them,
-- and after how long without a report there is a break. Answers since when, this server's time, and how long ago a node
-- last received them.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local text = string.format("%.0f", now)
local known = redis.call("HMGET", KEYS[1], "at", "since")
local at, since = tonumber(known[1]), known[2]
if not at or not since or now - at > tonumber(ARGV[2]) then
  since = text
  redis.call("HSET", KEYS[1], "since", since)
end
-- A server that took over may have a clock that is behind.
if ARGV[1] == "1" and now > (at or 0) then redis.call("HSET", KEYS[1], "at", text) end
return { since, text, at and string.format("%.0f", now - at) or "" }
