import type { ClientRange } from "./commands.ts";

/** The client of calls without one: the calls of a server token. */
export const noClient = "";

/** Null: the call has no client. */
export function nameClient(clientId: string): string | null {
  return clientId === noClient ? null : clientId;
}

/**
 * A client's id is an IPv4 address or the /64 of an IPv6 one, as text: 192.0.2.1, 2001:db8:0:1::/64. Any other id is in
 * no range.
 */
export function isWithin(clientId: string, { family, high, from, to }: ClientRange): boolean {
  const client = family === 4 ? parseIpv4(clientId) : parseIpv6(clientId);
  return client !== null && client.high === high && client.low >= from && client.low <= to;
}

/** An address as two numbers of 32 bits, the first of which is 0 for IPv4. */
export interface ClientNumber {
  readonly high: number;
  readonly low: number;
}

export function parseIpv4(clientId: string): ClientNumber | null {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(clientId);
  if (parts === null) return null;
  const [a, b, c, d] = parts.slice(1).map(Number) as [number, number, number, number];
  return { high: 0, low: ((a * 256 + b) * 256 + c) * 256 + d };
}

/** The last four groups of a /64 are zero and left out, so the text before the two colons has the first ones. */
export function parseIpv6(clientId: string): ClientNumber | null {
  const parts = /^([0-9a-f:]*)::\/64$/.exec(clientId);
  if (parts === null) return null;
  const groups = parts[1] === "" ? [] : parts[1]!.split(":").map((group) => Number.parseInt(group, 16));
  const [a = 0, b = 0, c = 0, d = 0] = groups;
  return { high: a * 65_536 + b, low: c * 65_536 + d };
}
