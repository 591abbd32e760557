/**
 * The IPv4 address of a client that comes through NAT64 (64:ff9b::/96), 6to4 (2002::/16) or Teredo (2001::/32), from the eight
 * groups of its IPv6 address; null: it is none of these.
 */
export function embeddedIpv4(groups: readonly number[]): string | null {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return toText(g, h);
  if (a === 0x2002) return toText(b, c);
  // Teredo writes the address of the client with all bits turned.
  if (a === 0x2001 && b === 0) return toText(g ^ 0xffff, h ^ 0xffff);
  return null;
}

const toText = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join(".");
