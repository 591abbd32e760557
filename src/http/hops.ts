import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { embeddedIpv4 } from "../ground/embedded-ipv4.ts";

/** One address on a request's way: of a client, or of a proxy. */
export interface Hop {
  readonly address: string;
  /** The key under which a client is counted. */
  readonly client: string;
  readonly network: string | null;
  readonly isLoopback: boolean;
  readonly isTrusted: boolean;
}

const knownMax = 4096;
const addressTextMax = 64;

/** Reads an address; null: it is none. Throws when a trusted proxy is neither an address nor a network. */
export function createReadHop(trustedProxies: readonly string[]): (text: string) => Hop | null {
  const networks = trustedProxies.map(parseNetwork);
  const ipv4Networks = networks.filter(([address]) => address instanceof ipaddr.IPv4).map(toRange);
  const known = new Map<string, Hop>();

  function parseHop(text: string): Hop | null {
    // The platform's check is the strict one: ipaddr.js alone would read 0x7f.1 as an address.
    const family = isIP(text);
    if (family === 0) return null;
    if (family === 4) return readIpv4(text);
    const address = parseIpv6(text);
    if (address instanceof ipaddr.IPv4) return readIpv4(address.toString());
    // Counts as that address, but has neither its trust nor its machine: anyone can write it into an IPv6 address.
    const ipv4 = embeddedIpv4(address.parts);
    return {
      address: address.toString(),
      client: ipv4 ?? toClientKey(address),
      network: ipv4 === null ? toNetworkKey(address) : null,
      isLoopback: address.range() === "loopback",
      isTrusted: networks.some(([network, prefix]) => network instanceof ipaddr.IPv6 && address.match(network, prefix)),
    };
  }

  /** Players have very many addresses, so most of these are not known: it has to be quick. */
  function readIpv4(text: string): Hop {
    const address = ownText(text);
    const isTrusted = ipv4Networks.length > 0 && isWithinAny(toNumber(text), ipv4Networks);
    return { address, client: address, network: null, isLoopback: text.startsWith("127."), isTrusted };
  }

  return (text) => {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    const hop = parseHop(text);
    if (hop === null || text.length > addressTextMax) return hop;
    // The cache is emptied as a whole, which is rare; frequent entries return quickly.
    if (known.size >= knownMax) known.clear();
    known.set(hop.address === text ? hop.address : ownText(text), hop);
    return hop;
  };
}

/** A part of a text keeps the whole of it in memory, which is a header that a client wrote. */
function ownText(part: string): string {
  return Buffer.from(part, "latin1").toString("latin1");
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [address: Address, prefixLength: number];

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
