/**
 * What a client may expect of one thing after the server was killed: the last value that was acknowledged, or that of the
 * call that was under way when the connection broke. Each thing has one writer, so there is at most one such call.
 */
export interface Acknowledged<T> {
  readonly possible: readonly T[];
}

export function acknowledged<T>(value: T): Acknowledged<T> {
  return { possible: [value] };
}

/** A call that will set it has begun. */
export function attempt<T>(before: Acknowledged<T>, value: T): Acknowledged<T> {
  return { possible: [...before.possible, value] };
}

export function isPossible<T>({ possible }: Acknowledged<T>, value: T): boolean {
  return possible.includes(value);
}

export type SeatState = "reserved" | "connected" | "held" | "gone";

export interface KnownPlayer {
  readonly playerId: string;
  readonly token: string;
  status: Acknowledged<SeatState>;
}

export interface KnownLobby {
  readonly lobbyId: string;
  readonly token: string;
  status: Acknowledged<"starting" | "ready" | "stopped">;
  isClosed: Acknowledged<boolean>;
  state: Acknowledged<number | null>;
  readonly players: KnownPlayer[];
}

/** A find with an idempotency key: when its answer was lost, the same call again tells what became of it. */
interface KeyedFind {
  readonly key: string;
  readonly clientId: string;
  /** Null: no answer came. */
  playerId: string | null;
  lobbyId: string | null;
}

export interface Ledger {
  readonly lobbies: Map<string, KnownLobby>;
  readonly finds: KeyedFind[];
  /** Registrations without an answer: so many unknown lobbies may exist. */
  unknownLobbies: number;
  /** Seats asked for without a key and without an answer. */
  unknownSeats: number;
  acknowledgements: number;
}

export function createLedger(): Ledger {
  return { lobbies: new Map(), finds: [], unknownLobbies: 0, unknownSeats: 0, acknowledgements: 0 };
}
