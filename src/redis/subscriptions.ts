import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "../ground/log.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";

interface Subscription {
  readonly onMessage: (message: string) => void;
  readonly onGap: () => void;
  /** Called when the channel is heard for the first time. */
  readonly onHeard: () => void;
  isHeard: boolean;
}

/** So often a connection that only listens is asked for a sign of life. */
const pingEveryMs = 1_000;

/**
 * All subscriptions over one connection of their own. When it breaks or falls silent another one is made, and each
 * listener is told that something may have been missed.
 */
export function openSubscriptions(connect: (turn: number) => Redis, patienceMs: number, log: Logger) {
  const subscriptions = new Map<string, Subscription>();
  let client: Redis | null = null;
  let isListening = false;
  let isClosed = false;

  async function listen(): Promise<void> {
    isListening = true;
    for (let turn = 0; !isClosed && subscriptions.size > 0; turn++) {
      const begunAt = performance.now();
      try {
        await listenOnce(connect(turn));
        if (!isClosed) log.debug("the connection that listens to Redis has ended and is made again");
      } catch (error) {
        if (!isClosed) log.debug({ err: error }, "listening to Redis failed and is tried again");
      }
      if (!isClosed) await delay(performance.now() - begunAt < 1000 ? 200 : 20);
    }
    isListening = false;
  }

  /** Resolves when the connection has ended. */
  async function listenOnce(listening: Redis): Promise<void> {
    client = listening;
    listening.on("error", () => {});
    listening.on("message", (channel: string, message: string) => subscriptions.get(channel)?.onMessage(message));
    const ended = new Promise<void>((resolve) => listening.once("end", resolve));
    let ping: NodeJS.Timeout | undefined;
    try {
      await listening.connect();
      await hear(listening, [...subscriptions.keys()]);
      // The answer is waited for by the client's own time-out, which ends a silent connection.
      ping = setInterval(() => listening.ping().catch(() => {}), pingEveryMs);
      await ended;
    } finally {
      clearInterval(ping);
      client = null;
      listening.disconnect();
    }
  }

  async function hear(listening: Redis, channels: readonly string[]): Promise<void> {
    await listening.subscribe(...channels);
    for (const channel of channels) {
      const subscription = subscriptions.get(channel);
      if (subscription === undefined) continue;
      if (subscription.isHeard) subscription.onGap();
      else subscription.onHeard();
      subscription.isHeard = true;
    }
  }

  return {
    subscribe(channel: string, onMessage: (message: string) => void, onGap: () => void): Promise<void> {
      if (subscriptions.has(channel)) throw new Error(`There is a listener to ${channel} already.`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          subscriptions.delete(channel);
          reject(new EngineUnavailable(`Redis is not available: ${channel} could not be listened to.`));
        }, patienceMs);
        const onHeard = () => {
          clearTimeout(timer);
          resolve();
        };
        subscriptions.set(channel, { onMessage, onGap, onHeard, isHeard: false });
        if (!isListening) void listen();
        // A connection that is still being made takes up every channel by itself.
        else if (client?.status === "ready") hear(client, [channel]).catch(() => client?.disconnect());
      });
    },
    close(): void {
      isClosed = true;
      client?.disconnect();
    },
  };
}
