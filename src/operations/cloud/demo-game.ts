import type { Config } from "../../config/config.ts";
import type { VersionConfig } from "../../contract/version-config.ts";
import type { ServedHandlers } from "../handlers.ts";
import { isRefusal, type Refusal } from "../refusal.ts";

/** The demo game of a new service. */
export interface Demo {
  readonly publicToken: string;
  readonly gameModes: readonly string[];
}

export interface DemoParts {
  readonly handlers: ServedHandlers;
  readonly config: Config;
  /** The program that runs a lobby of the demo. */
  readonly command: string;
  readonly args: readonly string[];
  /** The file that an earlier start wrote; null: it does not exist. */
  readonly kept: string | null;
  keep(text: string): void;
}

/**
 * Creates the demo game on a service without games, with the same operations that any client uses. An earlier demo is
 * offered again, unless its game was deleted. Null: there is no demo.
 */
export async function setUpDemo(parts: DemoParts): Promise<Demo | null> {
  const kept = parts.kept === null ? null : readKept(parts.kept);
  if (kept) return renew(parts, kept);
  // A file that cannot be parsed was changed by hand, and is not replaced.
  if (parts.kept !== null) return null;
  const { games } = must(await parts.handlers["games.listGames"]({ ...operator, params: {}, query: {}, body: null }));
  return games.length > 0 ? null : create(parts);
}

const gameModes = ["arena"];
const seats = 8;
const lobbiesMax = 16;

async function create({ handlers, config, command, args, keep }: DemoParts): Promise<Demo> {
  const game = { display_name: "Arena", name_id: "arena" };
  const { game_id } = must(await handlers["games.createGame"]({ ...operator, params: {}, query: null, body: game }));
  const document = buildVersion(config, command, args);
  const version = { display_name: "Arena 1", config: document };
  const { version_id } = must(
    await handlers["games.versions.createGameVersion"]({
      ...operator,
      params: { game_id },
      query: null,
      body: version,
    }),
  );
  const namespace = { display_name: "Demo", name_id: "demo", version_id };
  const { namespace_id } = must(
    await handlers["games.namespaces.createGameNamespace"]({
      ...operator,
      params: { game_id },
      query: null,
      body: namespace,
    }),
  );
  const params = { game_id, namespace_id };
  // Everyone who can open the page has the token, so the demo has its own limits.
  const limits = { lobby_count_max: lobbiesMax, max_players: seats };
  must(
    await handlers["games.namespaces.updateGameNamespaceMatchmakerConfig"]({
      ...operator,
      params,
      query: null,
      body: limits,
    }),
  );
  const { token } = must(
    await handlers["games.namespaces.createGameNamespaceTokenPublic"]({ ...operator, params, query: null, body: null }),
  );
  keep(writeKept({ game_id, namespace_id, version_id, public_token: token }));
  return { publicToken: token, gameModes };
}

/** The program may have another path than at the last start, or this Foyer a newer example: then the namespace gets a new version. */
async function renew({ handlers, config, command, args, keep }: DemoParts, kept: Kept): Promise<Demo | null> {
  const { game_id, namespace_id, version_id } = kept;
  const params = { game_id, namespace_id };
  const found = await handlers["games.namespaces.getGameNamespace"]({ ...operator, params, query: null, body: null });
  if (isRefusal(found)) return null;
  const demo = { publicToken: kept.public_token, gameModes };
  // The operator has deployed another version.
  if (found.namespace.version_id !== version_id) return demo;
  const { version } = must(
    await handlers["games.versions.getGameVersion"]({
      ...operator,
      params: { game_id, version_id },
      query: null,
      body: null,
    }),
  );
  const document = buildVersion(config, command, args);
  if (JSON.stringify(version.config) === JSON.stringify(document)) return demo;

  const body = { display_name: "Arena, updated", config: document };
  const made = must(
    await handlers["games.versions.createGameVersion"]({ ...operator, params: { game_id }, query: null, body }),
  );
  must(await handlers["games.namespaces.updateGameNamespaceVersion"]({ ...operator, params, query: null, body: made }));
  keep(writeKept({ ...kept, version_id: made.version_id }));
  return demo;
}

function buildVersion(config: Config, command: string, args: readonly string[]): VersionConfig {
  return {
    regions: { local: { display_name: "This machine" } },
    game_modes: {
      arena: {
        max_players: seats,
        idle_lobbies: { min: 1 },
        timeouts: { ready_s: 30, reservation_s: 20, heartbeat_s: 15, empty_s: 30, reconnect_s: 30 },
        codes: { enabled: true },
        actions: { create: { enabled: true } },
        // So that a page on https can play, and players need no other port than the service's.
        ports: { default: { protocol: "ws", routing: "gateway" } },
        runtime: { process: { command, args: [...args], env: readHost(config) } },
      },
    },
  };
}

/** Only the gateway reaches the lobbies, from this machine. With another `lobby_bind` the driver sets HOST. */
function readHost({ lobbyBind }: Config): Record<string, string> {
  return ["0.0.0.0", "::"].includes(lobbyBind) ? { HOST: "127.0.0.1" } : {};
}

/** The request id in the audit log of changes that the service makes itself at its start. */
export const startRequestId = "start";

const operator = {
  caller: { kind: "admin" },
  client: { id: "127.0.0.1", network: null, isLimited: false, place: null },
  requestId: startRequestId,
  idempotencyKey: undefined,
  lastEventId: undefined,
  whenGone: () => () => {},
} as const;

function must<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

/** The file in the data folder; an operator may read it, so it uses the names of the API. */
interface Kept {
  readonly game_id: string;
  readonly namespace_id: string;
  readonly version_id: string;
  readonly public_token: string;
}

function writeKept(kept: Kept): string {
  return `${JSON.stringify(kept, null, 2)}\n`;
}

function readKept(text: string): Kept | null {
  try {
    // Missing fields are checked below.
    const { game_id, namespace_id, version_id, public_token } = JSON.parse(text) as Partial<Kept>;
    if (!game_id || !namespace_id || !version_id || !public_token) return null;
    return { game_id, namespace_id, version_id, public_token };
  } catch {
    return null;
  }
}
