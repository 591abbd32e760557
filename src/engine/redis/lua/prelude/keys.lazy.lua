foyer.minimumsKey = stem .. "min"
foyer.lobbiesKey = stem .. "lobbies"
foyer.poolsKey = stem .. "pools"
foyer.codesKey = stem .. "codes"
function foyer.keyKey(id) return stem .. "k:" .. id end
function foyer.idleKey(pool) return stem .. "i:" .. pool.key end
function foyer.barredKey(pool) return stem .. "b:" .. pool.key end
function foyer.listedKey(pool) return stem .. "d:" .. pool.key end
