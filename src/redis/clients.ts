import { Cluster, Redis, type RedisOptions } from "ioredis";
import type { RedisAddress } from "./address.ts";

/** A server that does not answer for this long is given up, with every command that waits for it. */
export const tryMs = 2_000;

/**
 * The connection for commands. It does not connect by itself. The library neither queues commands while there is no
 * connection nor sends them again: a command that was given up must not be sent later, so only `connection.ts` decides
 * what is retried (docs/decisions/0013).
 */
export function createClient(address: RedisAddress): Redis | Cluster {
  if (address.kind === "cluster") return createCluster(address);
  return new Redis({ ...toOptions(address), ...toEndpoint(address), retryStrategy: reconnectDelayMs });
}

/** A connection that only listens. It connects once; the caller creates another one when it ends. */
export function createSubscriberClient(client: Redis | Cluster, address: RedisAddress, turn: number): Redis {
  const once = { ...toOptions(address), retryStrategy: null, enableReadyCheck: false };
  if (!(client instanceof Cluster)) return new Redis({ ...once, ...toEndpoint(address) });
  // In a Cluster a message reaches every server, so any of them works; after a failure the next one is tried.
  const known = client.nodes("all").map(({ options: { host, port } }) => ({ host: host!, port: port! }));
  const hosts = known.length > 0 ? known : address.hosts;
  const { host, port } = hosts[turn % hosts.length]!;
  return new Redis({ ...once, host, port });
}

function createCluster(address: RedisAddress): Cluster {
  const options = toOptions(address);
  return new Cluster([...address.hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // The library continues after a caller has given up, so its limit is short.
    maxRedirections: 6,
    redisOptions: options,
    clusterRetryStrategy: reconnectDelayMs,
    slotsRefreshTimeout: 1_000,
    slotsRefreshInterval: 5_000,
    // A certificate is for a name, which must not be resolved to an address before it is compared.
    ...(address.isTls && { dnsLookup: (host, callback) => callback(null, host) }),
  });
}

function toOptions({ username, password, isTls }: RedisAddress) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Without this, commands whose connection broke would never settle, because nothing is resent.
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

function toEndpoint(address: RedisAddress) {
  const [first] = address.hosts;
  if (address.kind !== "sentinel") return { host: first!.host, port: first!.port };
  return {
    sentinels: [...address.hosts],
    name: address.primaryName!,
    // An immediate notice of a failover keeps a node from writing to a former primary.
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
