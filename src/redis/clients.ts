import { Cluster, Redis, type RedisOptions } from "ioredis";
import type { RedisAddress } from "./address.ts";

/** A server that says nothing for so long is given up, with every command that waits for it. */
export const tryMs = 2_000;

/**
 * The connection that commands go through. It does not connect by itself. Nothing is queued while there is no connection
 * and nothing is sent again by the library: a command that was given up must not go out later, so `connection.ts`
 * alone decides what is tried again.
 */
export function createClient(address: RedisAddress): Redis | Cluster {
  if (address.kind === "cluster") return createCluster(address);
  return new Redis({ ...optionsOf(address), ...endpointOf(address), retryStrategy: reconnectDelayMs });
}

/** A connection that only listens. It connects once; whoever made it makes another when it ends. */
export function createSubscriberClient(client: Redis | Cluster, address: RedisAddress, turn: number): Redis {
  const once = { ...optionsOf(address), retryStrategy: null, enableReadyCheck: false };
  if (!(client instanceof Cluster)) return new Redis({ ...once, ...endpointOf(address) });
  // In a Cluster a message reaches every server, so any of them will do; after a failure the next one is tried.
  const known = client.nodes("all").map(({ options: { host, port } }) => ({ host: host!, port: port! }));
  const hosts = known.length > 0 ? known : address.hosts;
  const { host, port } = hosts[turn % hosts.length]!;
  return new Redis({ ...once, host, port });
}

function createCluster(address: RedisAddress): Cluster {
  const options = optionsOf(address);
  return new Cluster([...address.hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // The library goes on by itself after a caller has given up, so it may not go on for long.
    maxRedirections: 6,
    redisOptions: options,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshTimeout: 1_000,
    slotsRefreshInterval: 5_000,
    // A certificate is for a name, which must not be turned into a number before it is compared.
    ...(address.isTls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

function optionsOf({ username, password, isTls }: RedisAddress) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Without this, commands whose connection broke would never be settled once nothing is resent.
    maxRetriesPerRequest: 0,
    connectTimeout: tryMs,
    socketTimeout: tryMs,
    disconnectTimeout: 100,
    maxLoadingRetryTime: 100,
    protocol: 2,
    connectionName: "foyer",
    disableClientInfo: true,
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(isTls && { tls: {} }),
  } satisfies RedisOptions;
}

function endpointOf(address: RedisAddress) {
  const [first] = address.hosts;
  if (address.kind !== "sentinel") return { host: first!.host, port: first!.port };
  return {
    sentinels: [...address.hosts],
    name: address.primaryName!,
    // Hearing of a failover at once keeps a node from writing to a primary that is none any more.
    failoverDetector: true,
    sentinelRetryStrategy: reconnectDelayMs,
    sentinelReconnectStrategy: () => 1_000,
    sentinelCommandTimeout: 1_000,
    ...(address.sentinelPassword !== null && { sentinelPassword: address.sentinelPassword }),
    ...(address.isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  };
}

function reconnectDelayMs(attempts: number): number {
  return Math.min(20 * 2 ** Math.min(attempts, 10), 500);
}
