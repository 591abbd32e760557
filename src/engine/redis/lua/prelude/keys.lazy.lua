foyer.minimumsKey = stem .. "min"
foyer.lobbiesKey = stem .. "lobbies"
foyer.poolsKey = stem .. "pools"
foyer.codesKey = stem .. "codes"
-- Taken seats of players with keys: the lobby by client and key, and by key and lobby in order.
foyer.seatKeysKey = stem .. "seatkeys"
foyer.keyedKey = stem .. "keyed"
-- The lobbies of a node, by id.
function foyer.nodeKey(nodeId) return stem .. "n:" .. nodeId end
function foyer.keyKey(id) return stem .. "k:" .. id end
function foyer.idleKey(pool) return stem .. "i:" .. pool.key end
function foyer.barredKey(pool) return stem .. "b:" .. pool.key end
function foyer.listedKey(pool) return stem .. "d:" .. pool.key end
