import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "../ground/log.ts";
import { EngineUnavailable } from "../ground/unavailable.ts";

interface Subscription {
  readonly onMessage: (message: string) => void;
  readonly onGap: () => void;
  /** Called when the channel is subscribed for the first time. */
  readonly onSubscribed: () => void;
  isSubscribed: boolean;
}

/** How often a connection that only listens is pinged. */
const pingEveryMs = 1_000;

/**
 * All subscriptions over one connection of their own. When it breaks or stops answering, another one is opened, and
 * each listener is called because messages may be lost.
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
        if (!isClosed) log.debug("the connection for Redis messages ended; reconnecting");
      } catch (error) {
        if (!isClosed) log.debug({ err: error }, "subscribing to Redis messages failed; trying again");
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
      await subscribeAll(listening, [...subscriptions.keys()]);
      // The client's own time-out ends a connection that does not answer.
      ping = setInterval(() => listening.ping().catch(() => {}), pingEveryMs);
      await ended;
    } finally {
      clearInterval(ping);
      client = null;
      listening.disconnect();
    }
  }

  async function subscribeAll(listening: Redis, channels: readonly string[]): Promise<void> {
    await listening.subscribe(...channels);
    for (const channel of channels) {
      const subscription = subscriptions.get(channel);
      if (subscription === undefined) continue;
      if (subscription.isSubscribed) subscription.onGap();
      else subscription.onSubscribed();
      subscription.isSubscribed = true;
    }
  }

  return {
    subscribe(channel: string, onMessage: (message: string) => void, onGap: () => void): Promise<void> {
      if (subscriptions.has(channel)) throw new Error(`${channel} already has a listener.`);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          subscriptions.delete(channel);
          reject(new EngineUnavailable(`Redis is unavailable: subscribing to ${channel} failed.`));
        }, patienceMs);
        const onSubscribed = () => {
          clearTimeout(timer);
          resolve();
        };
        subscriptions.set(channel, { onMessage, onGap, onSubscribed, isSubscribed: false });
        if (!isListening) void listen();
        // A new connection subscribes to every channel by itself.
        else if (client?.status === "ready") subscribeAll(client, [channel]).catch(() => client?.disconnect());
      });
    },
    close(): void {
      isClosed = true;
      client?.disconnect();
    },
  };
}
