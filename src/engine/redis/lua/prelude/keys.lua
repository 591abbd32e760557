#!lua
-- Every key of a namespace is built from the stem of the one key that is given, so all of them carry its tag
-- and live in one slot. What is not a fact is derived from facts, and is written by pools.lua and state.lua alone.
--
-- Whatever a script has is in one table: a script is run from its beginning each time, and making a hundred functions that
-- see one another by name takes longer than finding a lobby.
local call = redis.call
local foyer = {}
foyer.stem = string.sub(KEYS[1], 1, -3)
foyer.namespaceKey = KEYS[1]
foyer.minimumsKey = foyer.stem .. "min"
foyer.timersKey = foyer.stem .. "timers"
foyer.lobbiesKey = foyer.stem .. "lobbies"
foyer.clientsKey = foyer.stem .. "clients"
foyer.poolsKey = foyer.stem .. "pools"
foyer.eventsKey = foyer.stem .. "events"

-- Facts.
function foyer.lobbyKey(id) return foyer.stem .. "l:" .. id end
function foyer.textsKey(id) return foyer.stem .. "t:" .. id end
function foyer.playerKey(id) return foyer.stem .. "p:" .. id end
function foyer.keyKey(id) return foyer.stem .. "k:" .. id end

-- Derived. A pool's key is its version, game mode and region with spaces between, which none of them has, so that pools in
-- the order of their keys are in the order of their parts. A tag may be any text, so it comes last.
function foyer.seatedKey(lobbyId) return foyer.stem .. "lp:" .. lobbyId end
function foyer.countsKey(pool) return foyer.stem .. "c:" .. pool.key end
function foyer.idleKey(pool) return foyer.stem .. "i:" .. pool.key end
function foyer.barredKey(pool) return foyer.stem .. "b:" .. pool.key end
function foyer.listedKey(pool) return foyer.stem .. "d:" .. pool.key end
function foyer.groupKey(pool, tagKey) return foyer.stem .. "g:" .. pool.key .. ":" .. tagKey end
function foyer.sizedKey(pool, tagKey, size) return foyer.stem .. "z:" .. size .. ":" .. pool.key .. ":" .. tagKey end

-- At one moment seats end before lobbies, lobbies before keys: timers with one score are in the order of their members.
foyer.playerKind, foyer.lobbyKind, foyer.keyKind = "0", "1", "2"

foyer.never = math.huge
foyer.rememberedMs = 600000
foyer.silentPeriodsMax = 10
