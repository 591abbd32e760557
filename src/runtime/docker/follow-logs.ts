import { setTimeout as sleep } from "node:timers/promises";
import type { LogCopy } from "./copy-logs.ts";
import type { Engine } from "./engine.ts";
import type { Backoff } from "./patience.ts";

/** Follows the output of a container into the files of its lobby. */
export interface LogFollower {
  /** The container has ended: copies the rest of its output, for at most that long. */
  finish(withinMs: number): Promise<void>;
  /** Stops following. The next process of the service continues where this one stopped. */
  close(): void;
}

/** `onEnd` is called when the engine says that there is no more output, usually because the container has ended. */
export function followLogs(
  engine: Engine,
  path: string,
  copy: LogCopy,
  backoff: Backoff,
  onEnd: () => void,
): LogFollower {
  const stopping = new AbortController();
  const following = follow();

  async function read(signal: AbortSignal, isFollowing: boolean, onOpen = () => {}): Promise<void> {
    const since = copy.since();
    const query = {
      ...{ stdout: "1", stderr: "1", timestamps: "1", follow: isFollowing ? "1" : "0" },
      ...(since !== undefined && { since }),
    };
    const response = await engine.open("GET", `${path}/logs`, query, signal);
    onOpen();
    await copy.copy(response);
  }

  async function follow(): Promise<void> {
    for (let pauseMs = backoff.firstMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, backoff.maxMs)) {
      // The engine went away, or the disk is full: copying continues later at the same position.
      const onOpen = () => {
        pauseMs = backoff.firstMs;
      };
      await read(stopping.signal, true, onOpen).catch(() => undefined);
      if (stopping.signal.aborted) return;
      onEnd();
      await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    async finish(withinMs) {
      stopping.abort();
      await following;
      await read(AbortSignal.timeout(withinMs), false).catch(() => undefined);
    },
    close: () => stopping.abort(),
  };
}
