import { FoyerError } from "./error.ts";
import type { PlayerApi } from "./generated/api.ts";
import type { HeartbeatAnswer } from "./generated/types.ts";
import { retry } from "./retry.ts";

/** A player's connection to this lobby. */
export interface Player {
  readonly playerId: string;
  /** The studio's own name for the player; null: the player has none. */
  readonly key: string | null;
  /** Whether the studio's backend sent the key, and not the player. */
  readonly isKeyVouched: boolean;
  /** The player had this seat before and has come back to it. */
  readonly returned: boolean;
  /** Aborts when this connection must end. Its `reason` is a LeaveReason. */
  readonly signal: AbortSignal;
}

/** A newer connection of the player came, Foyer ended the seat (for example of a blocked player), or the lobby ends. */
export type LeaveReason = "replaced" | "removed" | "stopping";

export interface LeaveOptions {
  /** Foyer holds the seat for `reconnect_s`, so that the player can come back to it. */
  readonly mayReturn?: boolean;
}

interface Seat {
  readonly player: Player;
  readonly controller: AbortController;
}

/** As it was when a heartbeat was sent. */
export interface SentRoster {
  /** The connected players by their tokens. */
  readonly seats: ReadonlyMap<string, Seat>;
  /** The ids of players who may return, by their tokens. */
  readonly held: ReadonlyMap<string, string>;
}

export type Roster = ReturnType<typeof createRoster>;

const answerWithinMs = 5_000;

/** Who is in the lobby. Calls for one player's token run one after the other. */
export function createRoster(
  api: Pick<PlayerApi, "players">,
  report: (error: unknown) => void,
  onSeatEnded: (playerId: string) => void,
) {
  const seats = new Map<string, Seat>();
  const held = new Map<string, string>();
  const inTurn = createTurns();

  function seat(token: string, facts: Omit<Player, "signal">): Player {
    const controller = new AbortController();
    const player = { ...facts, signal: controller.signal };
    seats.set(token, { player, controller });
    held.delete(token);
    return player;
  }

  async function admit(token: string): Promise<Player> {
    const old = seats.get(token);
    if (old) {
      const player = seat(token, { ...old.player, returned: true });
      end(old, "replaced");
      return player;
    }
    const answer = await connect(api, token);
    return seat(token, {
      playerId: answer.player_id,
      key: answer.key ?? null,
      isKeyVouched: answer.is_key_vouched ?? false,
      returned: answer.returned,
    });
  }

  async function leave(player: Player, { mayReturn = false }: LeaveOptions): Promise<void> {
    const token = findToken(seats, player);
    if (token === null) return;
    seats.delete(token);
    if (mayReturn) held.set(token, player.playerId);
    const body = { player_token: token, ...(mayReturn && { may_return: true }) };
    // When this fails, the next heartbeats do not name the player, and Foyer ends or holds the seat after two of them.
    await inTurn(token, () => api.players.disconnected(body)).catch(report);
  }

  return {
    admit: (token: string) => inTurn(token, () => admit(token)),
    async leave(player: Player | Promise<Player>, options: LeaveOptions = {}): Promise<void> {
      // Of a player who was not admitted nothing is left.
      const admitted = "then" in player ? await player.catch(() => null) : player;
      if (admitted) await leave(admitted, options);
    },
    players: () => [...seats.values()].map(({ player }) => player),
    sent: (): SentRoster => ({ seats: new Map(seats), held: new Map(held) }),
    /** Ends the connections of players whom a heartbeat named and whom Foyer no longer has, and reports held seats that ended. */
    removeMissing(sent: SentRoster, answer: Pick<HeartbeatAnswer, "player_ids" | "players">) {
      const connected = new Set(answer.player_ids);
      for (const [token, sentSeat] of sent.seats) {
        if (seats.get(token) !== sentSeat || connected.has(sentSeat.player.playerId)) continue;
        seats.delete(token);
        end(sentSeat, "removed");
      }
      const known = new Set(answer.players.map(({ player_id }) => player_id));
      for (const [token, playerId] of sent.held) {
        if (known.has(playerId) || !held.delete(token)) continue;
        onSeatEnded(playerId);
      }
    },
    dismiss() {
      const all = [...seats.values()];
      seats.clear();
      for (const known of all) end(known, "stopping");
    },
  };
}

function end({ controller }: Seat, reason: LeaveReason): void {
  controller.abort(reason);
}

function findToken(seats: ReadonlyMap<string, Seat>, player: Player): string | null {
  for (const [token, known] of seats) if (known.player === player) return token;
  return null;
}

/** Repeated when the answer was lost, because Foyer then refuses the token of a connected player. */
function connect(api: Pick<PlayerApi, "players">, token: string) {
  return retry({ isRepeatable: true, signal: undefined, retries: 2 }, async () => {
    const signal = AbortSignal.timeout(answerWithinMs);
    try {
      return await api.players.connected({ player_token: token }, { signal });
    } catch (error) {
      if (!(error instanceof FoyerError) || error.code !== "MATCHMAKER_PLAYER_ALREADY_CONNECTED") throw error;
      return reconnect(api, token, signal);
    }
  });
}

/**
 * Foyer counts a player as connected whom this server does not have: the server was restarted, or an answer was lost.
 * The player has dropped, then, and comes back if the game mode has a `reconnect_s`.
 */
async function reconnect(api: Pick<PlayerApi, "players">, token: string, signal: AbortSignal) {
  await api.players.disconnected({ player_token: token, may_return: true }, { signal });
  return api.players.connected({ player_token: token }, { signal });
}

/** Runs calls with the same name one after the other. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const call = (last.get(name) ?? Promise.resolve()).then(run);
    const settled = call
      .catch(() => undefined)
      .then(() => {
        if (last.get(name) === settled) last.delete(name);
      });
    last.set(name, settled);
    return call;
  };
}
