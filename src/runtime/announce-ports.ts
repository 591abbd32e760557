import type { LobbyPorts, LobbyToStart } from "./runtime.ts";

/** Where players reach the ports that were chosen for a lobby. */
export function announcePorts(
  hostname: string,
  lobby: Pick<LobbyToStart, "ports">,
  chosen: Readonly<Record<string, number>>,
  bind: string | null = null,
): LobbyPorts {
  const entries = Object.entries(chosen).map(([label, port]) => {
    const { protocol, routing, lazy } = lobby.ports[label] ?? { protocol: "" };
    const isRouted = routing === "gateway" && { routing, ...(bind !== null && { localHost: bind }) };
    const tries = lazy === true && { isLazy: lazy };
    return [label, { hostname, port, isTls: tlsProtocols.has(protocol), protocol, ...isRouted, ...tries }];
  });
  return Object.fromEntries(entries);
}

const tlsProtocols: ReadonlySet<string> = new Set(["https", "wss", "tls"]);
