import type { RedisLink } from "../engine/redis/link.ts";
import { script } from "./script.ts";

/** Lets every node keep what it read from the shared database, and yet never use it after another node changed it. */
export interface SharedStore {
  /** Resolves when nothing that was changed before this call can still be remembered here. */
  check(): Promise<void>;
  /**
   * Announces a change that is about to be made. The result is called when it has been made, or has failed; `isOver` is
   * false when nobody knows, and it may still be made.
   */
  begin(): Promise<(isOver: boolean) => Promise<void>>;
  /** For the holder of the lease: announces changes whose nodes died before they could. */
  sweep(): Promise<void>;
  onChange(listener: () => void): void;
  /** The connection to Redis was lost: the next check finds everything changed. */
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
 * A key in Redis names the latest change; whoever sees the same name again may trust what it remembers. A name holds when it
 * was given, so none is ever given twice, also when a change is announced again.
 */
export function createSharedStore({ link, prefix, newId, onFault }: SharedStoreOptions): SharedStore {
  const key = `${prefix}:{nodes}:changes`;
  const writes = `${prefix}:{nodes}:writes`;
  const listeners: (() => void)[] = [];
  let seen: unknown;
  let waiting: Promise<void> | null = null;
  let isClosed = false;

  async function ask(): Promise<void> {
    const value = await link.call("GET", key).catch((fault: unknown) => {
      // What happened while Redis was away is unknown, and so is whether it came back with everything.
      seen = undefined;
      throw fault;
    });
    if (value === seen) return;
    seen = value;
    for (const listener of listeners) listener();
  }

  /** What may still be made is announced once more by the sweep, when it cannot be made any more. */
  async function finish(writeId: string, isOver: boolean): Promise<void> {
    await link.run(finishScript, key, [writes, writeId, isOver ? "1" : "0"]);
  }

  /** The change may be in the database: until the others have heard of it they would go on by what they remember. */
  async function finishLater(writeId: string, isOver: boolean): Promise<void> {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      try {
        return await finish(writeId, isOver);
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
      return async (isOver) => {
        try {
          await finish(writeId, isOver);
        } catch (fault) {
          void finishLater(writeId, isOver);
          throw fault;
        }
      };
    },
    async sweep() {
      await link.run(sweepScript, key, [writes, String(abandonedMs)]);
    },
    onChange(listener) {
      listeners.push(listener);
    },
    doubt() {
      seen = undefined;
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

const finishScript = script(
  "change-finish",
  `#!lua
local time = redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. time[1] .. ' ' .. time[2])
if ARGV[3] == '1' then redis.call('ZREM', ARGV[1], ARGV[2]) end
return 'OK'
`,
);

const sweepScript = script(
  "change-sweep",
  `#!lua
local time = redis.call('TIME')
local before = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
for _, writeId in ipairs(redis.call('ZRANGE', ARGV[1], '-inf', before, 'BYSCORE')) do
  redis.call('SET', KEYS[1], writeId .. ' ' .. time[1] .. ' ' .. time[2])
  redis.call('ZREM', ARGV[1], writeId)
end
return 'OK'
`,
);
