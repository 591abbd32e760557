import type { Explanation } from "./explanation.ts";
import type { Facts, Given, Shown, Tags } from "./field-kinds.ts";
import type { Pair } from "./pair.ts";
import type { lobbyFields, lobbyShown, namespaceFields, playerFields, playerShown, refusalCodes } from "./schema.ts";

export type { Tags } from "./field-kinds.ts";
export type { Pair } from "./pair.ts";

/** The things that commands, outcomes, events and queries speak of. Import them from commands.ts. */

/** A lobby to be made, with everything that its game mode says about it, so that rules never need the version again. */
export interface NewLobby extends Given<typeof lobbyFields> {
  readonly lobbyId: string;
  /** It gets the first of these codes that no other lobby has. Absent: it gets none. */
  readonly codes?: readonly string[];
}

export type Limits = Pick<Facts<typeof namespaceFields>, "lobbyCountMax" | "maxPlayers" | "maxPlayersPerClient">;

export interface IdleMinimum extends Pair {
  readonly min: number;
}

/** What decides a find; `previewFind` asks the same without taking anything. The party size is the number of player ids. */
export interface FindRequest {
  /** Empty: a server token asks, which is no client. */
  readonly clientId: string;
  /** In the order in which they are tried. */
  readonly pairs: readonly Pair[];
  readonly tags: Tags;
  readonly playerIds: readonly string[];
  /** The players' keys, in the order of `playerIds`; empty: this one has none. Absent: no player has one. */
  readonly keys?: readonly string[];
  /** The keys count as those of a server token, also where a client is named. */
  readonly areKeysVouched?: boolean;
  /** The lobby to make when nothing fits; null when none may be made. */
  readonly create: NewLobby | null;
  /** What to answer when nothing fits and `create` is null. */
  readonly createRefusal: RefusalCode;
  /** Why `create` cannot be started now. It is the answer only if the lobby would be created otherwise. */
  readonly startRefusal?: RefusalCode;
  /** Also explains why each lobby was or was not chosen; "refusal": only if the find is refused. */
  readonly explain?: boolean | "refusal";
}

export type CreateReason = LobbyFacts["createReason"];
export type LobbyStatus = LobbyFacts["status"];
export type StopReason = NonNullable<LobbyFacts["stopReason"]>;
export type SeatStatus = Facts<typeof playerFields>["status"];
export type RefusalCode = (typeof refusalCodes)[number];

type LobbyFacts = Facts<typeof lobbyFields>;

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** Of a find that asked for it and was refused by what it found. */
  readonly explanation?: Explanation;
  /** Of PLAYER_ALREADY_SEATED: which of the players have a seat already, and where. */
  readonly seated?: readonly SeatedKey[];
}

export interface SeatedKey {
  /** The player's place in the party. */
  readonly index: number;
  readonly lobbyId: string;
}

/** Clients whose address is in a range: of IPv6 ones the first 32 bits of their /64 are all `high`; of IPv4 that is 0. */
export interface ClientRange {
  readonly family: 4 | 6;
  readonly high: number;
  readonly from: number;
  readonly to: number;
}

/** A lobby as it was when it was read; nothing in it changes afterwards. */
export interface LobbyView extends Omit<Shown<typeof lobbyFields>, keyof typeof lobbyShown>, Shown<typeof lobbyShown> {
  readonly lobbyId: string;
}

export interface PlayerView extends Shown<typeof playerFields>, Shown<typeof playerShown> {
  readonly playerId: string;
}
