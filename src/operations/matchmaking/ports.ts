import { isIP, isIPv6 } from "node:net";

/**
 * A host name or an address; looser than a namespace's domain, for game servers may have a single label, and those of
 * containers often have underscores.
 */
export function isHostname(text: string): boolean {
  const address = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIP(address) !== 0) return true;
  return text.split(".").every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label));
}

/** `hostname:port`, with an IPv6 address in brackets. */
export function formatHost(hostname: string, port: number): string {
  return `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
}

/** Ports as find, join and create answer them; lobbies carry them in this form. */
export function portsAnswer(ports: Readonly<Record<string, { hostname: string; port: number; is_tls: boolean }>>) {
  return Object.fromEntries(
    Object.entries(ports).map(([label, { hostname, port, is_tls }]) => [
      label,
      { hostname, host: formatHost(hostname, port), port, is_tls },
    ]),
  );
}
