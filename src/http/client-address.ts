import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

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
  const networks = trustedProxies.map(parseNetwork);
  const ipv4Networks = networks.filter(([address]) => address instanceof ipaddr.IPv4).map(toRange);
  let isUnbelievedSaid = networks.length > 0;
  const known = new Map<string, Hop | null>();

  function parseHop(text: string): Hop | null {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    const hop = readHop(text);
    // The cache is emptied as a whole, which is rare; frequent entries return quickly.
    if (known.size >= knownMax) known.clear();
    if (text.length <= addressTextMax) known.set(text, hop);
    return hop;
  }

  function readHop(text: string): Hop | null {
    // The platform's check is the strict one: ipaddr.js alone would read 0x7f.1 as an address.
    const family = isIP(text);
    if (family === 0) return null;
    if (family === 4) return readIpv4(text);
    const address = parseIpv6(text);
    if (address instanceof ipaddr.IPv4) return readIpv4(address.toString());
    return {
      address: address.toString(),
      client: toClientKey(address),
      network: toNetworkKey(address),
      isLoopback: address.range() === "loopback",
      isTrusted: networks.some(([network, prefix]) => network instanceof ipaddr.IPv6 && address.match(network, prefix)),
    };
  }

  /** Players have very many addresses, so most of these are not known: it has to be quick. */
  function readIpv4(text: string): Hop {
    const isTrusted = ipv4Networks.length > 0 && isWithinAny(toNumber(text), ipv4Networks);
    return { address: text, client: text, network: null, isLoopback: text.startsWith("127."), isTrusted };
  }

  /** From the nearest hop outwards, as long as each hop is trusted. */
  function furthestVouched(peer: Hop, forwardedFor: string): Hop {
    let hop = peer;
    let end = forwardedFor.length;
    while (hop.isTrusted && end > 0) {
      const comma = forwardedFor.lastIndexOf(",", end - 1);
      const text = forwardedFor.slice(comma + 1, end).trim();
      const next = parseHop(text) ?? parseHop(withoutPort(text));
      if (!next) return hop;
      hop = next;
      end = comma;
    }
    return hop;
  }

  return (socketAddress, headers) => {
    const peer = parseHop(socketAddress);
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

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [address: Address, prefixLength: number];
type Hop = { address: string; client: string; network: string | null; isLoopback: boolean; isTrusted: boolean };

const knownMax = 4096;
const addressTextMax = 64;

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

function parseNetwork(text: string): Network {
  const [addressText = "", prefixText, ...more] = text.trim().split("/");
  const given = isIP(addressText) && !addressText.includes("%") ? ipaddr.parse(addressText) : null;
  const bits = given?.kind() === "ipv4" ? 32 : 128;
  const prefixLength = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1;
  if (!given || more.length > 0 || prefixLength < 0 || prefixLength > bits) {
    throw new Error(
      `The trusted proxy "${text}" is neither an IP address nor a network. Write 10.0.0.5, 10.0.0.0/8 or fd00::/8.`,
    );
  }
  const plain = unmapped(given);
  if (plain === given) return [given, prefixLength];
  if (prefixLength < 96) throw new Error(`The trusted proxy "${text}" covers all of IPv4. Write the network itself.`);
  return [plain, prefixLength - 96];
}

function parseIpv6(text: string): Address {
  const zone = text.indexOf("%");
  return unmapped(ipaddr.parse(zone === -1 ? text : text.slice(0, zone)));
}

/** ::ffff:192.0.2.1 is how a socket that listens on both families shows 192.0.2.1. */
function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** The first and the last address of an IPv4 network, as numbers. */
type Range = readonly [first: number, last: number];

function toRange([address, prefixLength]: Network): Range {
  const size = 2 ** (32 - prefixLength);
  const first = Math.floor(toNumber(address.toString()) / size) * size;
  return [first, first + size - 1];
}

function isWithinAny(address: number, ranges: readonly Range[]): boolean {
  return ranges.some(([first, last]) => address >= first && address <= last);
}

/** Of an IPv4 address that was checked. */
function toNumber(text: string): number {
  let [number, part] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === dot) [number, part] = [number * 256 + part, 0];
    else part = part * 10 + code - zero;
  }
  return number * 256 + part;
}

const [dot, zero] = [46, 48];

function toClientKey(address: ipaddr.IPv6): string {
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

function toNetworkKey(address: ipaddr.IPv6): string {
  return `${new ipaddr.IPv6([...address.parts.slice(0, 3), 0, 0, 0, 0, 0]).toString()}/48`;
}

/** Some proxies write 192.0.2.1:4711 or [2001:db8::1]:4711. */
function withoutPort(text: string): string {
  const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/.exec(text);
  return withPort?.[1] ?? withPort?.[2] ?? text;
}
