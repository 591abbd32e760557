import type { Namespace, VersionConfig } from "foyer-sdk";
import { all, type Client, createClient } from "../remote/client.ts";
import { UsageError } from "../remote/exit-codes.ts";
import type { Progress } from "../remote/progress.ts";
import { createThrowawayNamespace, removeLeftovers, type ThrowawayNamespace } from "../remote/throwaway-namespace.ts";
import { isLoopback, type LoadOptions } from "./options.ts";
import type { Playground } from "./simulate.ts";

/** What is deployed in the namespace that the load is for. */
export interface Deployed {
  readonly client: Client;
  readonly game_id: string;
  readonly namespace: Namespace;
  readonly config: VersionConfig;
  readonly modes: readonly string[];
}

const registeredAtOnce = 16;

/**
 * A namespace of this command's own, with the game modes and the player limit of the real one. This command registers its
 * lobbies and is their game server. No real player meets a simulated one, and no program of the game runs.
 */
export async function openOwnLobbies(
  admin: Client,
  deployed: Deployed,
  options: LoadOptions,
  progress: Progress,
): Promise<Playground> {
  const { game_id, modes, namespace, config } = deployed;
  const plan = modes.flatMap((mode) => planLobbies(deployed, mode, options));
  if (isLoopback(admin.connection.endpoint)) await removeLeftovers(admin, game_id, "load");
  const own = await createThrowawayNamespace(admin, {
    game_id,
    kind: "load",
    config: withoutServers(config, modes),
    limits: {
      lobby_count_max: plan.length,
      max_players: namespace.matchmaker.max_players,
      max_players_per_client: null,
    },
  });
  const lobbies = await register(own, plan, progress).catch(async (error: unknown) => {
    await own.remove().catch(() => undefined);
    throw error;
  });
  const report = (lobbyId: string) => lobbies.get(lobbyId)!.client;
  return {
    params: own.params,
    modes,
    players: createClient({ ...admin.connection, token: own.publicToken }, undefined, 0),
    async enter({ lobbyId, token }) {
      await report(lobbyId).players.connected({ player_token: token });
    },
    leave: ({ lobbyId, token }) => report(lobbyId).players.disconnected({ player_token: token }),
    seatsOf: (lobbyId) => lobbies.get(lobbyId)?.seats ?? 0,
    async countSeatsLeft() {
      const { namespace_id } = own.params;
      const listed = await all(admin.games.namespaces.lobbies.list(game_id, namespace_id, { limit: 500 }));
      return listed.reduce((sum, { total_player_count }) => sum + total_player_count, 0);
    },
    remove: own.remove,
  };
}

interface Planned {
  readonly mode: string;
  readonly region: string;
  readonly seats: number;
}

/** As many lobbies as all players need at the same time, so that a refusal is never for want of a seat. */
function planLobbies({ config, namespace }: Deployed, mode: string, { players, party }: LoadOptions): Planned[] {
  const { max_players, regions } = config.game_modes[mode]!;
  const seats = Math.min(max_players, namespace.matchmaker.max_players);
  const parties = Math.floor(seats / party);
  if (parties === 0) throw new UsageError(`A lobby of "${mode}" has ${seats} seats; --party ${party} does not fit.`);
  const count = Math.ceil(Math.floor(players / party) / parties);
  return Array.from({ length: count }, () => ({ mode, region: (regions ?? Object.keys(config.regions))[0]!, seats }));
}

/** The document with lobbies that register themselves. */
function withoutServers({ regions, game_modes }: VersionConfig, modes: readonly string[]): VersionConfig {
  const external = modes.map((mode) => {
    const { runtime: _, idle_lobbies: __, ports: ___, ...rest } = game_modes[mode]!;
    const timeouts = { ...rest.timeouts, heartbeat_s: 0 };
    return [mode, { ...rest, timeouts, runtime: { external: {} } }];
  });
  return { regions, game_modes: Object.fromEntries(external) };
}

async function register(
  { server }: ThrowawayNamespace,
  plan: readonly Planned[],
  progress: Progress,
): Promise<ReadonlyMap<string, { readonly seats: number; readonly client: Client }>> {
  const lobbies = new Map<string, { seats: number; client: Client }>();
  const left = [...plan];
  // Nothing listens there: this command is the server, and players report to it.
  const ports = { default: { hostname: "127.0.0.1", port: 9, is_tls: false } };
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { mode, region, seats } = next;
      const { lobby_id, token } = await server.lobbies.register({ game_mode: mode, region, ports });
      const client = createClient({ ...server.connection, token }, undefined, 0);
      await client.lobbies.ready();
      lobbies.set(lobby_id, { seats, client });
      progress.update(`Registering lobbies: ${lobbies.size} of ${plan.length} …`);
    }
  };
  await Promise.all(Array.from({ length: registeredAtOnce }, worker));
  return lobbies;
}
