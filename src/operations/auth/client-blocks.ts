import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { embeddedIpv4 } from "../../ground/embedded-ipv4.ts";
import { type ClientNumber, parseIpv4, parseIpv6 } from "../../matchmaker/client-ranges.ts";
import type { ClientRange } from "../../matchmaker/commands.ts";
import type { Block } from "../../store/blocks.ts";

/** A client or a range of clients that an operator names. */
export interface NamedClients {
  /** The normal form: 192.0.2.1, 192.0.2.0/24, 2001:db8::/48. */
  readonly client: string;
  readonly range: ClientRange;
}

/** Completes the sentence "client …". */
export const clientIssues = {
  invalid: "must be an IP address or a range such as 192.0.2.0/24 or 2001:db8::/48",
  out_of_range: "must be a range of IPv4 from /16 to /32, or of IPv6 from /32 to /64",
} as const;

/** Parses the clients that a text names, or returns its issue. */
export function readClients(text: string): NamedClients | keyof typeof clientIssues {
  const [addressText = "", prefixText, ...more] = text.split("/");
  const isPrefix = prefixText === undefined || /^\d{1,3}$/.test(prefixText);
  if (isIP(addressText) === 0 || addressText.includes("%") || !isPrefix || more.length > 0) return "invalid";
  const given = ipaddr.parse(addressText);
  // A socket that listens on both families shows IPv4 addresses as ::ffff:192.0.2.1.
  if (given instanceof ipaddr.IPv6 && given.isIPv4MappedAddress()) {
    return ipv4Clients(given.toIPv4Address(), prefixText === undefined ? 32 : Number(prefixText) - 96);
  }
  const embedded = given instanceof ipaddr.IPv6 && isOneClient(prefixText) ? embeddedIpv4(given.parts) : null;
  if (embedded !== null) return ipv4Clients(ipaddr.IPv4.parse(embedded), 32);
  if (given instanceof ipaddr.IPv6) return ipv6Clients(given, prefixText === undefined ? 64 : Number(prefixText));
  return ipv4Clients(given, prefixText === undefined ? 32 : Number(prefixText));
}

/** Through NAT64, 6to4 or Teredo an IPv4 client has a whole address, which no range of IPv6 clients names. */
const isOneClient = (prefixText: string | undefined) => prefixText === undefined || prefixText === "128";

function ipv4Clients(address: ipaddr.IPv4, prefix: number): NamedClients | "out_of_range" {
  if (prefix < 16 || prefix > 32) return "out_of_range";
  const { low } = parseIpv4(address.toString())!;
  const from = low - (low % 2 ** (32 - prefix));
  const octets = [24, 16, 8, 0].map((shift) => Math.floor(from / 2 ** shift) % 256);
  const client = prefix === 32 ? octets.join(".") : `${octets.join(".")}/${prefix}`;
  return { client, range: { family: 4, high: 0, from, to: from + 2 ** (32 - prefix) - 1 } };
}

/** Clients are /64s, so only the first 64 bits of an address count. */
function ipv6Clients(address: ipaddr.IPv6, prefix: number): NamedClients | "out_of_range" {
  if (prefix < 32 || prefix > 64) return "out_of_range";
  const [a = 0, b = 0, c = 0, d = 0] = address.parts;
  const [high, low] = [a * 65_536 + b, c * 65_536 + d];
  const from = low - (low % 2 ** (64 - prefix));
  const network = new ipaddr.IPv6([a, b, Math.floor(from / 65_536), from % 65_536, 0, 0, 0, 0]);
  return {
    client: `${network.toString()}/${prefix}`,
    range: { family: 6, high, from, to: from + 2 ** (64 - prefix) - 1 },
  };
}

/** Returns whether a client is blocked at a time, with one lookup per length of range. */
export type IsBlocked = (clientId: string, now: number) => boolean;

/** Null: no client is blocked. */
export function blockTable(blocks: readonly Block[]): IsBlocked | null {
  if (blocks.length === 0) return null;
  const tables = { 4: new Map<number, Map<string, number>>(), 6: new Map<number, Map<string, number>>() };
  for (const { client, untilTs } of blocks) {
    const named = readClients(client);
    // Only results of readClients are stored; any other text from an import blocks no client.
    if (typeof named === "string") continue;
    const { family, high, from, to } = named.range;
    const size = to - from + 1;
    const ofSize = tables[family].get(size) ?? new Map<string, number>();
    tables[family].set(size, ofSize.set(toKey({ high, low: from }, size), untilTs ?? Number.POSITIVE_INFINITY));
  }
  return (clientId, now) => {
    const family = clientId.includes(":") ? 6 : 4;
    const client = family === 4 ? parseIpv4(clientId) : parseIpv6(clientId);
    if (client === null) return false;
    for (const [size, ofSize] of tables[family]) if ((ofSize.get(toKey(client, size)) ?? 0) > now) return true;
    return false;
  };
}

function toKey({ high, low }: ClientNumber, size: number): string {
  return `${high} ${low - (low % size)}`;
}
