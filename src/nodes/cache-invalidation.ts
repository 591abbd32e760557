import type { RedisLink } from "../redis/interface.ts";
import { script } from "./script.ts";

/**
 * What became of a change. A list: it was made, and these ids name all that it was about. "everything": it was made, and may
 * be about anything. "doubt": nobody knows whether it was made. Null: it was not.
 */
type Change = readonly string[] | "everything" | "doubt" | null;

/** Lets every node keep what it read from the shared database, and yet never use it after another node changed it. */
export interface SharedStore {
  /** Resolves when nothing that was changed before this call can still be remembered here. */
  check(): Promise<void>;
  /** Announces a change that is about to be made. The result is called with what became of it. */
  begin(): Promise<(change: Change) => Promise<void>>;
  /** For the holder of the lease: tells of changes whose nodes died before they could. */
  sweep(): Promise<void>;
  onChange(listener: (change: NonNullable<Change>) => void): void;
  /** The connection to Redis was lost, and with it perhaps what was announced: the next check puts everything in doubt. */
  doubt(): void;
  close(): void;
}

export interface SharedStoreOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  newId(): string;
  onFault(fault: unknown): void;
}

/** Longer than a statement may take. */
const abandonedMs = 60_000;
const retryMs = 500;

/**
 * A key in Redis names the latest change; whoever sees the same name again may trust what it remembers. Whoever sees another
 * looks into the list of the latest ones for what they were about. A name holds when it was given, so none is ever given
 * twice, also when a change is announced again.
 */
export function createSharedStore({ link, prefix, newId, onFault }: SharedStoreOptions): SharedStore {
  const key = `${prefix}:{nodes}:changes`;
  const writes = `${prefix}:{nodes}:writes`;
  const log = `${key}:log`;
  const channel = `${prefix}:changes`;
  const listeners: ((change: NonNullable<Change>) => void)[] = [];
  let seen: unknown;
  let isUnsure = false;
  let waiting: Promise<void> | null = null;
  let isClosed = false;

  async function ask(): Promise<void> {
    const value = await link.call("GET", key).catch((fault: unknown) => {
      // What happened while Redis was away is unknown, and so is whether it came back with everything.
      isUnsure = true;
      throw fault;
    });
    if (value === seen && !isUnsure) return;
    const changes = value === seen ? [] : await since(seen, value);
    if (isUnsure) changes.push("doubt");
    isUnsure = false;
    for (const change of changes) for (const listener of listeners) listener(change);
  }

  /** What was announced after one that is known; from now on the last of them is. */
  async function since(known: unknown, latest: unknown): Promise<NonNullable<Change>[]> {
    if (typeof known !== "string" || typeof latest !== "string") {
      seen = latest;
      return ["everything"];
    }
    // Border: the shape is that of the script's reply.
    const [name, ...texts] = (await link.run(sinceScript, key, [log, known])) as string[];
    seen = name;
    return texts.map(changeFrom);
  }

  /** What may still be made is told of once more by the sweep, when it cannot be made any more. */
  async function finish(writeId: string, change: Change): Promise<void> {
    const isOver = change === "doubt" ? "0" : "1";
    const args = [writes, writeId, isOver, log, channel];
    await link.run(finishScript, key, change === null ? args : [...args, textOf(change)]);
  }

  /** The change may be in the database: until the others have heard of it they would go on by what they remember. */
  async function finishLater(writeId: string, change: Change): Promise<void> {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      try {
        return await finish(writeId, change);
      } catch (fault) {
        onFault(fault);
      }
    }
  }

  return {
    /** A question that was sent before this call may be answered too early; one that waits for its turn is soon enough. */
    check() {
      waiting ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          waiting = null;
          ask().then(resolve, reject);
        });
      });
      return waiting;
    },
    async begin() {
      const writeId = newId();
      await link.run(beginScript, key, [writes, writeId]);
      return async (change) => {
        try {
          await finish(writeId, change);
        } catch (fault) {
          void finishLater(writeId, change);
          // Nobody need hear of what was not made, and its caller is to hear why it was not.
          if (change !== null) throw fault;
        }
      };
    },
    async sweep() {
      await link.run(sweepScript, key, [writes, String(abandonedMs), log, channel]);
    },
    onChange(listener) {
      listeners.push(listener);
    },
    doubt() {
      isUnsure = true;
    },
    close() {
      isClosed = true;
    },
  };
}

const beginScript = script(
  "change-begin",
  `#!lua
local time = redis.call('TIME')
redis.call('ZADD', ARGV[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
return 'OK'
`,
);

const everything = "*";
const inDoubt = "?";

function textOf(change: NonNullable<Change>): string {
  if (change === "everything") return everything;
  return change === "doubt" ? inDoubt : change.join(" ");
}

function changeFrom(text: string): NonNullable<Change> {
  if (text === everything) return "everything";
  if (text === inDoubt) return "doubt";
  return text === "" ? [] : text.split(" ");
}

/** A node that has not looked for so many changes forgets everything. */
const logMax = 1000;

/** Names a change as the latest one and tells every node that there is one. */
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

const finishScript = script(
  "change-finish",
  `#!lua
${announce}
if ARGV[6] then announce(KEYS[1], ARGV[4], ARGV[5], ARGV[2], ARGV[6]) end
if ARGV[3] == '1' then redis.call('ZREM', ARGV[1], ARGV[2]) end
return 'OK'
`,
);

/** Of a node that died nobody knows whether it had made its change; nobody was told that it had. */
const sweepScript = script(
  "change-sweep",
  `#!lua
${announce}
local time = redis.call('TIME')
local before = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
for _, writeId in ipairs(redis.call('ZRANGE', ARGV[1], '-inf', before, 'BYSCORE')) do
  announce(KEYS[1], ARGV[3], ARGV[4], writeId, '${inDoubt}')
  redis.call('ZREM', ARGV[1], writeId)
end
return 'OK'
`,
);

/**
 * The latest name, then what was announced after the given one, the oldest first. Everything, when the list does not go
 * back so far, or does not end with the latest name: a node of an older Foyer announces without it.
 */
const sinceScript = script(
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
