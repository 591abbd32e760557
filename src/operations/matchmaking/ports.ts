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
function formatHost(hostname: string, port: number): string {
  return `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
}

interface Port {
  readonly hostname: string;
  readonly port: number;
  readonly is_tls: boolean;
  /** Of the game mode; undefined: not known. */
  readonly protocol: string | undefined;
}

/** Ports as find, join and create answer them; lobbies carry them in this form. */
export function portsAnswer(ports: Readonly<Record<string, Port>>) {
  return Object.fromEntries(Object.entries(ports).map(([label, port]) => [label, portAnswer(port)]));
}

export function portAnswer({ hostname, port, is_tls, protocol }: Port) {
  const host = formatHost(hostname, port);
  const scheme = protocol === undefined ? undefined : schemes[protocol];
  return { hostname, host, port, is_tls, ...(scheme && { url: `${scheme}${is_tls ? "s" : ""}://${host}` }) };
}

/** Whether there is TLS is the port's own word: a proxy in front of a ws port may add it. */
const schemes: Readonly<Record<string, string>> = { http: "http", https: "http", ws: "ws", wss: "ws" };
