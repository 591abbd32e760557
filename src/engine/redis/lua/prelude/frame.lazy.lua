function foyer.hearFrom(at)
  if at > foyer.namespace.heardFrom then foyer.put(foyer.namespace, "heardFrom", at) end
end

-- Told before anything is written: the caller built a command that cannot be.
function foyer.fault(message) return { "FAULT", message } end
