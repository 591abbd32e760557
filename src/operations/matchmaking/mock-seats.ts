import type { CallerOf, DevelopmentPort } from "../callers.ts";
import type { Context } from "../context.ts";
import { portAnswer } from "./ports.ts";

export const mockLobbyId = "00000000-0000-0000-0000-000000000000";
export const mockRegion = { region_id: "dev-local", display_name: "Local" };
const tlsProtocols: ReadonlySet<string> = new Set(["https", "wss", "tls"]);

/** Seats in the developer's own server, which the token names. */
export function seatMock(
  { tokens }: Context,
  { namespaceId, server }: CallerOf<"dev">,
  playerIds: readonly string[],
  code: string | null = null,
) {
  const players = playerIds.map((playerId) => ({
    player_id: playerId,
    token: tokens.make({ kind: "devplayer", namespaceId, playerId }),
  }));
  const entries = Object.entries(server.ports);
  const ports = Object.fromEntries(entries.map(([label, port]) => [label, mockPort(server.hostname, port)]));
  const player = { token: players[0]!.token };
  const lobby = { lobby_id: mockLobbyId, region: mockRegion, ports, player };
  return { lobby: code === null ? lobby : { ...lobby, code }, ports, player, players };
}

function mockPort(hostname: string, { protocol, port, portRange }: DevelopmentPort) {
  const is_tls = tlsProtocols.has(protocol);
  if (port !== null) return portAnswer({ hostname, port, is_tls, protocol });
  return { hostname, ...(portRange !== null && { port_range: { min: portRange.min, max: portRange.max } }), is_tls };
}
