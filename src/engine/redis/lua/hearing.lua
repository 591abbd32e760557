#!lua
-- When some node could last receive heartbeats, and since when without a break. ARGV: whether the sender receives them,
-- after how long without a report there is a break, and the sender's id. Answers since when, this server's time, and how
-- long ago another node last received them. The sender's own report does not count: its answer may have been lost.
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local text = string.format("%.0f", now)
local known = redis.call("HMGET", KEYS[1], "at", "since", "by", "otherAt")
local at, since, by, otherAt = tonumber(known[1]), known[2], known[3], tonumber(known[4])
if by ~= ARGV[3] then otherAt = at end
if not at or not since or now - at > tonumber(ARGV[2]) then
  since = text
  redis.call("HSET", KEYS[1], "since", since)
end
-- A server that took over may have a clock that is behind.
if ARGV[1] == "1" and now >= (at or 0) then
  redis.call("HSET", KEYS[1], "at", text, "by", ARGV[3])
  if otherAt then redis.call("HSET", KEYS[1], "otherAt", string.format("%.0f", otherAt)) end
end
return { since, text, otherAt and string.format("%.0f", now - otherAt) or "" }
