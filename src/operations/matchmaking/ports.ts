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

/** The port of a lobby as its record has it: the real one, also where players reach it through the gateway. */
type StoredPort = ReturnType<typeof portAnswer> | RoutedPort;

export interface RoutedPort extends Port {
  readonly protocol: "http" | "ws";
  readonly routing: "gateway";
  /** Where the lobby listens for the gateway; absent: on the loopback address. */
  readonly localHost?: string;
}

/** What is stored of a port that players reach through the gateway. */
export function routedPort({ hostname, port, is_tls, protocol }: Port, localHost?: string): RoutedPort {
  // The version document allows no other protocols for it.
  const known = { hostname, port, is_tls, protocol: protocol === "http" ? ("http" as const) : ("ws" as const) };
  return { ...known, routing: "gateway", ...(localHost !== undefined && { localHost }) };
}

/** The ports that the record of a lobby has, by label. */
export function readPorts(ports: string | null): Readonly<Record<string, StoredPort>> {
  if (ports === null) return {};
  if (ports !== lastText) {
    // Only this service writes them.
    lastPorts = JSON.parse(ports) as Record<string, StoredPort>;
    lastText = ports;
  }
  return lastPorts;
}

/** Finds fill one lobby after the other, so most read the same ports as the one before. */
let lastText = "{}";
let lastPorts: Readonly<Record<string, StoredPort>> = {};

export const isRouted = (port: StoredPort): port is RoutedPort => "routing" in port;

/** Where players reach the gateway. */
export interface GatewayOrigin {
  readonly hostname: string;
  readonly host: string;
  readonly port: number;
  readonly is_tls: boolean;
  /** What comes before the id of a lobby, by protocol of the port. */
  readonly prefixes: Readonly<Record<"http" | "ws", string>>;
}

/** Parsed once: every find shows ports. */
export function parseGatewayOrigin(origin: string): GatewayOrigin {
  const url = new URL(origin);
  const is_tls = url.protocol === "https:";
  const port = url.port === "" ? (is_tls ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const rest = `${is_tls ? "s" : ""}://${url.host}/lobby/`;
  return {
    hostname,
    host: formatHost(hostname, port),
    port,
    is_tls,
    prefixes: { http: `http${rest}`, ws: `ws${rest}` },
  };
}

/** The ports of a lobby as players and operators see them. */
export type ShowPorts = (lobby: {
  readonly lobbyId: string;
  readonly ports: string | null;
}) => Readonly<Record<string, ReturnType<typeof portAnswer>>>;

export function createShowPorts(gatewayOrigin: () => GatewayOrigin): ShowPorts {
  return ({ lobbyId, ports: text }) => {
    const ports = readPorts(text);
    if (text === null || !text.includes(routedMark)) return ports as ReturnType<ShowPorts>;
    const { prefixes, ...address } = gatewayOrigin();
    const entries = Object.entries(ports).map(([label, port]) => [
      label,
      isRouted(port)
        ? { ...address, url: `${prefixes[port.protocol]}${lobbyId}/${label}${pathEnds[port.protocol]}` }
        : port,
    ]);
    return Object.fromEntries(entries);
  };
}

/** As JSON writes it. Host names contain no quotation marks. */
const routedMark = '"routing":"gateway"';

/** Ports as find, join and create answer them; lobbies carry them in this form. */
export function portsAnswer(ports: Readonly<Record<string, Port>>) {
  return Object.fromEntries(Object.entries(ports).map(([label, port]) => [label, portAnswer(port)]));
}

export function portAnswer({ hostname, port, is_tls, protocol }: Port) {
  const host = formatHost(hostname, port);
  const scheme = protocol === undefined ? undefined : schemes[protocol];
  return {
    ...{ hostname, host, port, is_tls },
    ...(scheme && { url: `${scheme}${is_tls ? "s" : ""}://${host}${pathEnds[scheme]}` }),
  };
}

/** Whether there is TLS is the port's own word: a proxy in front of a ws port may add it. */
const schemes: Readonly<Record<string, "http" | "ws">> = { http: "http", https: "http", ws: "ws", wss: "ws" };

/** The address of a page ends in a slash, so that `new URL("map.png", url)` is below it. */
const pathEnds = { http: "/", ws: "" } as const;
