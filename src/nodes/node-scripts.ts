import { script } from "./script.ts";

/** These scripts use Redis' time, so the clocks of the nodes do not affect the lease. */
export const beatScript = script(
  "node-beat",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = KEYS[1] .. ':lease'
local holder = ARGV[1] .. ' ' .. ARGV[2]
local before = redis.call('HGET', KEYS[1], ARGV[1])
local twin = '0'
if before and not string.find(before, '"instanceId":"' .. ARGV[2] .. '"', 1, true) then twin = '1' end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[3])
if not before or string.find(before, '"hasLeft":true', 1, true) then redis.call('PUBLISH', ARGV[5], ARGV[1]) end
local held = redis.call('HMGET', lease, 'holder', 'ends', 'fence')
local isOver = not held[1] or now >= tonumber(held[2])
if isOver and held[1] ~= holder then
  held[1] = holder
  -- Not only one more than before: a Redis that failed over may have forgotten the last ones.
  held[3] = string.format('%.0f', math.max((tonumber(held[3]) or 0) + 1, time[1] * 1000000 + time[2]))
  redis.call('HSET', lease, 'fence', held[3])
end
if held[1] == holder then
  redis.call('HSET', lease, 'holder', holder, 'ends', string.format('%.0f', now + tonumber(ARGV[4])))
end
return { string.format('%.0f', now), held[1], held[3], twin, redis.call('HGETALL', KEYS[1]) }
`,
);

/** Reads the entry of a node id, without changing the list. */
export const lookScript = script(
  "node-look",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { string.format('%.0f', now), redis.call('HGET', KEYS[1], ARGV[1]) or '' }
`,
);

/** Every node on the list with its last report. */
export const listScript = script(
  "node-list",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { string.format('%.0f', now), redis.call('HGETALL', KEYS[1]) }
`,
);

export const leaveScript = script(
  "node-leave",
  `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = KEYS[1] .. ':lease'
if ARGV[3] == '1' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[4]) end
if redis.call('HGET', lease, 'holder') == ARGV[1] .. ' ' .. ARGV[2] then redis.call('HSET', lease, 'ends', '0') end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 'OK'
`,
);
