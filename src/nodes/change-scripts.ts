import { script } from "./script.ts";

/**
 * The outcome of a change. A list: it was made, and affects only these ids. "everything": it was made and may affect
 * anything. "unconfirmed": it may have been made. Null: it was not made.
 */
export type Change = readonly string[] | "everything" | "unconfirmed" | null;

const everything = "*";
const unconfirmedText = "?";

export function writeChange(change: NonNullable<Change>): string {
  if (change === "everything") return everything;
  return change === "unconfirmed" ? unconfirmedText : change.join(" ");
}

export function readChange(text: string): NonNullable<Change> {
  if (text === everything) return "everything";
  if (text === unconfirmedText) return "unconfirmed";
  return text === "" ? [] : text.split(" ");
}

export const beginScript = script(
  "change-begin",
  `#!lua
local time = redis.call('TIME')
redis.call('ZADD', ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
return 'OK'
`,
);

/** A node that has missed more changes than this drops its whole cache. */
const logMax = 1000;

/** Names a change as the latest one and publishes it to every node. */
const announce = `
local function announce(key, log, channel, writeId, text)
  local time = redis.call('TIME')
  local name = writeId .. ' ' .. time[1] .. ' ' .. time[2]
  redis.call('SET', key, name)
  redis.call('LPUSH', log, name .. '|' .. text)
  redis.call('LTRIM', log, 0, ${logMax - 1})
  redis.call('PUBLISH', channel, name)
end
`;

export const finishScript = script(
  "change-finish",
  `#!lua
${announce}
if ARGV[6] then announce(KEYS[1], ARGV[4], ARGV[5], ARGV[2], ARGV[6]) end
if ARGV[3] == '1' then redis.call('ZREM', ARGV[1], ARGV[2]) end
return 'OK'
`,
);

/** After a node died, it is unknown whether its change was made. No caller got an answer that it was. */
export const sweepScript = script(
  "change-sweep",
  `#!lua
${announce}
local time = redis.call('TIME')
local before = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
for _, writeId in ipairs(redis.call('ZRANGE', ARGV[1], '-inf', before, 'BYSCORE')) do
  announce(KEYS[1], ARGV[3], ARGV[4], writeId, '${unconfirmedText}')
  redis.call('ZREM', ARGV[1], writeId)
end
return 'OK'
`,
);

/**
 * Returns the latest name, then what was announced after the given one, oldest first. Returns "everything" when the
 * list does not reach back so far, or does not end with the latest name, because a node of an older Foyer announces
 * without the list.
 */
export const sinceScript = script(
  "change-since",
  `#!lua
local latest = redis.call('GET', KEYS[1]) or ''
local texts = {}
local page = 20
for first = 0, ${logMax - 1}, page do
  local entries = redis.call('LRANGE', ARGV[1], first, first + page - 1)
  for at, entry in ipairs(entries) do
    local bar = string.find(entry, '|', 1, true)
    local name = string.sub(entry, 1, bar - 1)
    if first == 0 and at == 1 and name ~= latest then return { latest, '${everything}' } end
    if name == ARGV[2] then
      local reply = { latest }
      for i = #texts, 1, -1 do reply[#reply + 1] = texts[i] end
      return reply
    end
    texts[#texts + 1] = string.sub(entry, bar + 1)
  end
  if #entries < page then break end
end
return { latest, '${everything}' }
`,
);
