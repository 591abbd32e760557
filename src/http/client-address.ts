import { createReadHop, type Hop } from "./hops.ts";

export type ClientAddress = {
  /** The key under which a client is counted: an IPv4 address, or the /64 of an IPv6 address (one household has one). */
  client: string;
  /** The client's whole address, as the service knows it. */
  address: string;
  /** The /48 of an IPv6 client, in which it may have many; null for IPv4. */
  network: string | null;
  /** A program on this machine, without a visible proxy in between. */
  isDirectLoopback: boolean;
  /** The peer of the socket is one of the trusted proxies, so its forwarding headers are trusted. */
  isTrustedProxy: boolean;
  /** The client is not the peer of the socket: a trusted proxy forwards its request. */
  isForwarded: boolean;
};

type ForwardingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Identifies the client of a request from this peer with these headers. */
export type ReadAddress = (socketAddress: string, headers: ForwardingHeaders) => ClientAddress;

/**
 * Throws when a proxy is neither an address nor a network such as 10.0.0.0/8, so that a mistyped setting stops the
 * start. `onUnbelieved` is called once, when this machine sends forwarding headers though no proxy is trusted at all.
 */
export function createClientAddress(trustedProxies: readonly string[], onUnbelieved = () => {}): ReadAddress {
  const readHop = createReadHop(trustedProxies);
  let isUnbelievedSaid = trustedProxies.length > 0;

  /** From the nearest hop outwards, as long as each hop is trusted. */
  function furthestVouched(peer: Hop, forwardedFor: string): Hop {
    let hop = peer;
    let end = forwardedFor.length;
    while (hop.isTrusted && end > 0) {
      const comma = forwardedFor.lastIndexOf(",", end - 1);
      const text = forwardedFor.slice(comma + 1, end).trim();
      const next = readHop(text) ?? readHop(withoutPort(text));
      if (!next) return hop;
      hop = next;
      end = comma;
    }
    return hop;
  }

  return (socketAddress, headers) => {
    const peer = readHop(socketAddress);
    if (!peer)
      return {
        client: "unknown",
        address: "unknown",
        network: null,
        isDirectLoopback: false,
        isTrustedProxy: false,
        isForwarded: false,
      };
    const forwardedFor = headers["x-forwarded-for"];
    const hops = Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor;
    const client = peer.isTrusted && hops !== undefined ? furthestVouched(peer, hops) : peer;
    const isDirectLoopback = peer.isLoopback && !hasForwardingHeader(headers);
    if (peer.isLoopback && !isDirectLoopback && !isUnbelievedSaid) {
      isUnbelievedSaid = true;
      onUnbelieved();
    }
    return {
      client: client.client,
      address: client.address,
      network: client.network,
      isDirectLoopback,
      isTrustedProxy: peer.isTrusted,
      isForwarded: client !== peer,
    };
  };
}

/** Any of these means that there is a proxy between the service and the client. */
const forwardingHeaders: ReadonlySet<string> = new Set([
  "x-forwarded-for",
  "forwarded",
  "x-real-ip",
  "via",
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-envoy-external-address",
  "x-appengine-user-ip",
  "x-azure-clientip",
  "fastly-client-ip",
  "fly-client-ip",
  "forwarded-for",
  "x-forwarded",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-scheme",
  "x-forwarded-server",
]);

/** A request has fewer headers than there are of these. */
function hasForwardingHeader(headers: ForwardingHeaders): boolean {
  for (const name in headers) if (forwardingHeaders.has(name) && headers[name] !== undefined) return true;
  return false;
}

/** Some proxies write 192.0.2.1:4711 or [2001:db8::1]:4711. */
function withoutPort(text: string): string {
  const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text);
  return withPort?.[1] ?? withPort?.[2] ?? text;
}
