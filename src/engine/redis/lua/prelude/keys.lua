#!lua
-- Every key of a namespace is built from the stem of the one key that is given, so all of them carry its tag
-- and live in one slot. What is not a fact is derived from facts, and is written by pools.lua and state.lua alone.
local call = redis.call
local stem = string.sub(KEYS[1], 1, -3)
local namespaceKey = KEYS[1]
local minimumsKey = stem .. "min"
local timersKey = stem .. "timers"
local lobbiesKey = stem .. "lobbies"
local clientsKey = stem .. "clients"
local poolsKey = stem .. "pools"
local eventsKey = stem .. "events"

-- Facts.
local function lobbyKey(id) return stem .. "l:" .. id end
local function textsKey(id) return stem .. "t:" .. id end
local function playerKey(id) return stem .. "p:" .. id end
local function keyKey(id) return stem .. "k:" .. id end

-- Derived. A pool's key is its version, game mode and region with spaces between, which none of them has, so that pools in
-- the order of their keys are in the order of their parts. A tag may be any text, so it comes last.
local function seatedKey(lobbyId) return stem .. "lp:" .. lobbyId end
local function countsKey(pool) return stem .. "c:" .. pool.key end
local function idleKey(pool) return stem .. "i:" .. pool.key end
local function barredKey(pool) return stem .. "b:" .. pool.key end
local function listedKey(pool) return stem .. "d:" .. pool.key end
local function groupKey(pool, tagKey) return stem .. "g:" .. pool.key .. ":" .. tagKey end
local function sizedKey(pool, tagKey, size) return stem .. "z:" .. size .. ":" .. pool.key .. ":" .. tagKey end

-- At one moment seats end before lobbies, lobbies before keys: timers with one score are in the order of their members.
local playerKind, lobbyKind, keyKind = "0", "1", "2"

local never = math.huge
local rememberedMs = 600000
local silentPeriodsMax = 10
