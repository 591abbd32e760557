import type { RedisLink } from "../redis/interface.ts";
import {
  beginScript,
  type Change,
  finishScript,
  readChange,
  sinceScript,
  sweepScript,
  writeChange,
} from "./change-scripts.ts";

type Made = NonNullable<Change>;

/** Lets every node cache rows of the shared database, without using them after another node changed them. */
export interface NodesCacheInvalidation extends KnownChanges, Announcements {
  /** True: other nodes write too. */
  readonly isOnlyWriter: false;
}

export interface CacheInvalidationOptions {
  readonly link: RedisLink;
  readonly prefix: string;
  newId(): string;
  onError(error: unknown): void;
}

/** Longer than a statement may take. */
const abandonedMs = 60_000;
const retryMs = 500;

/**
 * A key in Redis names the latest change; a node that sees the same name again may use its cache. A node that sees
 * another name reads from the list of latest changes what they affect. A name contains a time, so it is never used
 * twice, even when a change is announced again.
 */
export function createCacheInvalidation(options: CacheInvalidationOptions): NodesCacheInvalidation {
  const { link, prefix } = options;
  const latest = `${prefix}:{nodes}:changes`;
  const keys = {
    latest,
    log: `${latest}:log`,
    writes: `${prefix}:{nodes}:writes`,
    channel: `${prefix}:changes`,
  };
  return { isOnlyWriter: false, ...createKnownChanges(link, keys), ...createAnnouncements(options, keys) };
}

interface Keys {
  /** Names the latest change. */
  readonly latest: string;
  /** The latest changes, with what they affect. */
  readonly log: string;
  /** Changes that are being made. */
  readonly writes: string;
  readonly channel: string;
}

interface KnownChanges {
  /** Resolves when the cache contains nothing that was changed before this call. */
  check(): Promise<void>;
  onChange(listener: (change: Made) => void): void;
  /**
   * The connection to Redis was lost, and perhaps announcements with it: the next check makes the whole cache
   * unconfirmed.
   */
  invalidate(): void;
}

function createKnownChanges(link: RedisLink, keys: Keys): KnownChanges {
  const listeners: ((change: Made) => void)[] = [];
  let seen: unknown;
  let isUnsure = false;
  let waiting: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const value = await link.call("GET", keys.latest).catch((error: unknown) => {
      // Changes during the outage of Redis are unknown, and Redis may have lost data.
      isUnsure = true;
      throw error;
    });
    if (value === seen && !isUnsure) return;
    const changes = value === seen ? [] : await readSince(seen, value);
    if (isUnsure) changes.push("unconfirmed");
    isUnsure = false;
    for (const change of changes) for (const listener of listeners) listener(change);
  }

  /** What was announced after the known change. */
  async function readSince(known: unknown, latest: unknown): Promise<Made[]> {
    if (typeof known !== "string" || typeof latest !== "string") {
      seen = latest;
      return ["everything"];
    }
    // The script returns this shape.
    const [name, ...texts] = (await link.run(sinceScript, keys.latest, [keys.log, known])) as string[];
    seen = name;
    return texts.map(readChange);
  }

  return {
    /**
     * The answer to a question that was sent before this call may be too old; one that waits for its turn is new
     * enough.
     */
    check() {
      waiting ??= new Promise((resolve, reject) => {
        setImmediate(() => {
          waiting = null;
          ask().then(resolve, reject);
        });
      });
      return waiting;
    },
    onChange(listener) {
      listeners.push(listener);
    },
    invalidate() {
      isUnsure = true;
    },
  };
}

interface Announcements {
  /** Announces a change that is about to be made. Call the result with the outcome. */
  begin(): Promise<(change: Change) => Promise<void>>;
  /** For the lease holder: announces changes of nodes that died before they could. */
  sweep(): Promise<void>;
  close(): void;
}

function createAnnouncements({ link, newId, onError }: CacheInvalidationOptions, keys: Keys): Announcements {
  let isClosed = false;

  /** The sweep announces an unfinished change once more, when it can no longer be made. */
  async function finish(writeId: string, change: Change): Promise<void> {
    const isOver = change === "unconfirmed" ? "0" : "1";
    const args = [keys.writes, writeId, isOver, keys.log, keys.channel];
    await link.run(finishScript, keys.latest, change === null ? args : [...args, writeChange(change)]);
  }

  /** The change may be in the database: until the others know about it, they would use their caches. */
  async function finishLater(writeId: string, change: Change): Promise<void> {
    while (!isClosed) {
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      try {
        return await finish(writeId, change);
      } catch (error) {
        onError(error);
      }
    }
  }

  return {
    async begin() {
      const writeId = newId();
      await link.run(beginScript, keys.latest, [keys.writes, writeId]);
      return async (change) => {
        try {
          await finish(writeId, change);
        } catch (error) {
          void finishLater(writeId, change);
          // The others need no notice of a change that was not made, and its caller gets the error.
          if (change !== null) throw error;
        }
      };
    },
    async sweep() {
      await link.run(sweepScript, keys.latest, [keys.writes, String(abandonedMs), keys.log, keys.channel]);
    },
    close() {
      isClosed = true;
    },
  };
}
