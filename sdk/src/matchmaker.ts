import type { CallOptions, ClientOptions, KeyedCallOptions } from "./call.ts";
import { FoyerError } from "./error.ts";
import { createPlayerApi } from "./foyer.ts";
import type { PlayerApi } from "./generated/api.ts";
import type {
  CreateRequest,
  FindRequest,
  JoinAnswer,
  ListLobbiesAnswer,
  LobbyPort,
  Region,
} from "./generated/types.ts";
import { type RegionWithLatency, sortByLatency } from "./latency.ts";
import { type WatchedLobby, watchLobbies } from "./watch.ts";

export interface MatchmakerOptions extends ClientOptions {
  /**
   * Where the player token of the seat is kept for `resume`, such as `sessionStorage`. Absent: nowhere, and `resume` needs
   * the token.
   */
  readonly storage?: TokenStorage;
}

/** What is used of `sessionStorage` or `localStorage`. */
export interface TokenStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** A seat. `Web` are the labels of the ports that have a `url`, for the compiler: those of protocol http and ws. */
export interface Seat<Web extends string = "default"> extends JoinAnswer {
  readonly ports: JoinAnswer["ports"] & { readonly [Label in Web]: LobbyPort & { readonly url: string } };
}

/** For game clients: from the menu to a seat in a lobby. */
export interface Matchmaker<Web extends string = "default"> {
  /** Finds a lobby and takes a seat in it. */
  find(request: string | FindRequest, options?: KeyedCallOptions): Promise<Seat<Web>>;
  /** Joins a lobby by its id, or by the code that a friend sent. */
  join(idOrCode: string, options?: KeyedCallOptions): Promise<Seat<Web>>;
  /** Creates a lobby and takes a seat in it. */
  create(request: string | CreateRequest, options?: KeyedCallOptions): Promise<Seat<Web>>;
  /** The seat that the player still has. Null: there is none, or it has ended. */
  resume(playerToken?: string, options?: CallOptions): Promise<Seat<Web> | null>;
  /** Gives up a seat before the player connects to its lobby, or while it is held. */
  release(playerToken?: string, options?: CallOptions): Promise<void>;
  /** Removes the kept player token, when the player has left the game through its server. Calls nothing. */
  forget(): void;
  /** A page when awaited, all lobbies with `for await`. */
  list(query?: Parameters<PlayerApi["lobbies"]["list"]>[0], options?: CallOptions): LobbyPage;
  /** The list of lobbies, again each time that it changes. It is opened again after a break. */
  watchLobbies(
    query?: Parameters<PlayerApi["lobbies"]["watch"]>[0],
    options?: CallOptions,
  ): AsyncIterable<readonly WatchedLobby[]>;
  /** The regions, nearest first, by the time that a request to their `ping_url` takes. */
  regionsByLatency(options?: CallOptions): Promise<readonly RegionWithLatency[]>;
  regions(options?: CallOptions): Promise<readonly Region[]>;
}

type LobbyPage = Promise<ListLobbiesAnswer> & AsyncIterable<ListLobbiesAnswer["lobbies"][number]>;

const storageKey = "foyer-player-token";
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** With other ports than `default`, name those of http and ws for the compiler: `createMatchmaker<"game" | "page">(…)`. */
export function createMatchmaker<Web extends string = "default">(options: MatchmakerOptions = {}): Matchmaker<Web> {
  const { storage } = options;
  const api = createPlayerApi(options);

  async function keep(answer: Promise<JoinAnswer>): Promise<Seat<Web>> {
    const seat = await answer;
    storage?.setItem(storageKey, seat.player.token);
    // The caller knows the ports of its game.
    return seat as Seat<Web>;
  }

  return {
    find: (request, callOptions) =>
      keep(
        api.lobbies.find(typeof request === "string" ? { game_modes: [request] } : withoutDryRun(request), callOptions),
      ),
    join: (idOrCode, callOptions) =>
      keep(api.lobbies.join(uuid.test(idOrCode) ? { lobby_id: idOrCode } : { code: idOrCode }, callOptions)),
    create: (request, callOptions) =>
      keep(api.lobbies.create(typeof request === "string" ? { game_mode: request } : request, callOptions)),
    async resume(playerToken = storage?.getItem(storageKey) ?? undefined, callOptions) {
      if (playerToken === undefined) return null;
      try {
        return await keep(api.players.resume({ player_token: playerToken }, callOptions));
      } catch (error) {
        if (!(error instanceof FoyerError) || !endedStatus.has(error.status)) throw error;
        storage?.removeItem(storageKey);
        return null;
      }
    },
    async release(playerToken = storage?.getItem(storageKey) ?? undefined, callOptions) {
      if (playerToken === undefined) return;
      storage?.removeItem(storageKey);
      await api.players.release({ player_token: playerToken }, callOptions);
    },
    forget: () => storage?.removeItem(storageKey),
    list: (query, callOptions) => api.lobbies.list(query, callOptions),
    watchLobbies: (query, callOptions) => watchLobbies(api, query, callOptions?.signal),
    regions: async (callOptions) => (await api.regions.list(callOptions)).regions,
    async regionsByLatency(callOptions) {
      const { regions } = await api.regions.list(callOptions);
      return sortByLatency(regions, options.fetch ?? globalThis.fetch, callOptions?.signal);
    },
  };
}

/** The seat has ended, or its token is of another namespace or was forgotten. */
const endedStatus = new Set([404, 410]);

function withoutDryRun(request: FindRequest): FindRequest & { dry_run?: false } {
  if (request.dry_run) throw new TypeError("A dry run takes no seat: call createFoyer().lobbies.find for it.");
  // Checked above.
  return request as FindRequest & { dry_run?: false };
}
