function foyer.hearFrom(at)
  if at > foyer.namespace.heardFrom then foyer.put(foyer.namespace, "heardFrom", at) end
end

-- Answered before anything is written: the caller built an impossible command.
function foyer.fail(message) return { "ERROR", message } end
