#!lua
-- Every key of a namespace is built from the stem of the one key that is given, so all of them carry its tag
-- and live in one slot. What is not a fact is derived from facts, and is written by pools.lua and state.lua alone.
--
-- Whatever a script has is in one table: a script is run from its beginning each time, and making a hundred functions that
-- see one another by name takes longer than finding a lobby. For the same reason, what is in a
-- file x.lazy.lua of the prelude is defined when the first thing of it is asked for (scripts.ts).
--
-- Redis takes a text as it is and writes a number out first, so what is always the same number is given as text.
--
-- What begins with a dollar sign is put in when the scripts are loaded, from schema.ts: see lua-fields.ts.
local call = redis.call
local stem = string.sub(KEYS[1], 1, -3)
local foyer = {
  namespaceKey = KEYS[1],
  timersKey = stem .. "timers",
  clientsKey = stem .. "clients",
  eventsKey = stem .. "events",
  never = math.huge,
  -- At one moment seats end before lobbies, lobbies before keys: timers with one score are in the order of their members.
  playerKind = "0", lobbyKind = "1", keyKind = "2",
  -- What this run has read and changed, and its events.
  namespace = false, lobbies = {}, players = {}, pools = {}, dirty = {}, events = {},
  -- Whether a rule changed anything, and whether something became due by now: most commands need not look.
  hasChanged = false, hasDue = false,
  -- How much of what was due it has done, by when everything is done, and how many of ARGV are those of earlier commands.
  expired = 0, caughtUpAt = 0, argsBefore = 0,
  -- Commands by those earlier ones; whether none of their operations had its effect before.
  decoded = {}, areNew = false, wishes = false,
  -- Nothing is due before this; and what postponed.lua writes later.
  firstDueAt = -math.huge, numberTexts = {}, newTimers = {}, oldTimers = {}, newSeats = {}, newClients = {}, unordered = {}, isPostponed = false,
  -- The position of this run's last event in the stream; empty: no events.
  lastPosition = "",
}

-- Facts.
function foyer.lobbyKey(id) return stem .. "l:" .. id end
function foyer.textsKey(id) return stem .. "t:" .. id end
function foyer.playerKey(id) return stem .. "p:" .. id end

-- Derived. A pool's key is its version, game mode and region with spaces between, which none of them has, so that pools in
-- the order of their keys are in the order of their parts. A tag may be any text, so it comes last.
function foyer.seatedKey(lobbyId) return stem .. "lp:" .. lobbyId end
function foyer.countsKey(pool) return stem .. "c:" .. pool.key end
function foyer.groupKey(pool, tagKey) return stem .. "g:" .. pool.key .. ":" .. tagKey end
function foyer.sizedKey(pool, tagKey, size) return stem .. "z:" .. size .. ":" .. pool.key .. ":" .. tagKey end
