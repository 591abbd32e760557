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

/** Lets every node keep what it read from the shared database, and yet never use it after another node changed it. */
export interface NodesCacheInvalidation extends KnownChanges, Announcements {
  /** Other nodes write too. */
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
 * A key in Redis names the latest change; a node that sees the same name again may trust what it remembers. A node that sees
 * another looks into the list of the latest ones for what they were about. A name contains when it was given, so none is
 * ever given twice, also when a change is announced again.
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
  /** The last ones, with what they were about. */
  readonly log: string;
  /** Those that are being made. */
  readonly writes: string;
  readonly channel: string;
}

interface KnownChanges {
  /** Resolves when nothing that was changed before this call can still be remembered here. */
  check(): Promise<void>;
  onChange(listener: (change: Made) => void): void;
  /** The connection to Redis was lost, and with it perhaps what was announced: the next check puts everything in doubt. */
  invalidate(): void;
}

function createKnownChanges(link: RedisLink, keys: Keys): KnownChanges {
  const listeners: ((change: Made) => void)[] = [];
  let seen: unknown;
  let isUnsure = false;
  let waiting: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const value = await link.call("GET", keys.latest).catch((error: unknown) => {
      // What happened while Redis was away is unknown, and so is whether it came back with everything.
      isUnsure = true;
      throw error;
    });
    if (value === seen && !isUnsure) return;
    const changes = value === seen ? [] : await readSince(seen, value);
    if (isUnsure) changes.push("doubt");
    isUnsure = false;
    for (const change of changes) for (const listener of listeners) listener(change);
  }

  /** What was announced after one that is known; from now on the last of them is. */
  async function readSince(known: unknown, latest: unknown): Promise<Made[]> {
    if (typeof known !== "string" || typeof latest !== "string") {
      seen = latest;
      return ["everything"];
    }
    // Border: the shape is that of the script's reply.
    const [name, ...texts] = (await link.run(sinceScript, keys.latest, [keys.log, known])) as string[];
    seen = name;
    return texts.map(readChange);
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
    onChange(listener) {
      listeners.push(listener);
    },
    invalidate() {
      isUnsure = true;
    },
  };
}

interface Announcements {
  /** Announces a change that is about to be made. The result is called with what became of it. */
  begin(): Promise<(change: Change) => Promise<void>>;
  /** For the holder of the lease: announces changes whose nodes died before they could. */
  sweep(): Promise<void>;
  close(): void;
}

function createAnnouncements({ link, newId, onError }: CacheInvalidationOptions, keys: Keys): Announcements {
  let isClosed = false;

  /** What may still be made is announced once more by the sweep, when it cannot be made any more. */
  async function finish(writeId: string, change: Change): Promise<void> {
    const isOver = change === "doubt" ? "0" : "1";
    const args = [keys.writes, writeId, isOver, keys.log, keys.channel];
    await link.run(finishScript, keys.latest, change === null ? args : [...args, writeChange(change)]);
  }

  /** The change may be in the database: until the others know of it they would go on by what they remember. */
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
          // The others need not know of what was not made, and its caller gets the error that kept it from being made.
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
