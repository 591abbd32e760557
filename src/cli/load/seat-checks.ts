/** What must hold however many players come and go. */
export const checkNames = {
  lobby_max: "No lobby has more players than its maximum.",
  one_seat: "No player has two seats, and a repeated find gets the same ones.",
  drained: "No seat is left after all players have left.",
  seated: "Players got seats.",
} as const;

type CheckName = keyof typeof checkNames;

/** Compares what the service answers with what must hold. */
export interface SeatChecks {
  /** A find was answered with these seats. */
  taken(lobbyId: string, playerIds: readonly string[]): void;
  /** From now on the service may give the seat to another player. */
  leaving(lobbyId: string, playerId: string): void;
  violation(check: CheckName, text: string): void;
  results(): readonly CheckResult[];
}

export interface CheckResult {
  readonly name: CheckName;
  readonly ok: boolean;
  readonly violation_count: number;
  /** The first ones. */
  readonly violations: readonly string[];
}

const shownMax = 5;

/** `seatsOf`: the seats of a lobby for finds, if this command knows them. */
export function createSeatChecks(seatsOf: (lobbyId: string) => number | null): SeatChecks {
  const lobbyByPlayer = new Map<string, string>();
  /** Seats that are certainly taken: from the answer to a find until the call that ends them is sent. */
  const takenByLobby = new Map<string, number>();
  const found = new Map<CheckName, { count: number; first: string[] }>();
  const violation = (check: CheckName, text: string) => {
    const { count, first } = found.get(check) ?? { count: 0, first: [] };
    found.set(check, { count: count + 1, first: [...first, text].slice(0, shownMax) });
  };

  return {
    violation,
    taken(lobbyId, playerIds) {
      for (const playerId of playerIds) {
        const other = lobbyByPlayer.get(playerId);
        if (other !== undefined) violation("one_seat", `Player ${playerId} got seats in ${other} and in ${lobbyId}.`);
        lobbyByPlayer.set(playerId, lobbyId);
      }
      const taken = (takenByLobby.get(lobbyId) ?? 0) + playerIds.length;
      takenByLobby.set(lobbyId, taken);
      const seats = seatsOf(lobbyId);
      if (seats !== null && taken > seats)
        violation("lobby_max", `Lobby ${lobbyId} has ${taken} players in ${seats} seats.`);
    },
    leaving(lobbyId, playerId) {
      lobbyByPlayer.delete(playerId);
      takenByLobby.set(lobbyId, (takenByLobby.get(lobbyId) ?? 0) - 1);
    },
    results: () =>
      (Object.keys(checkNames) as CheckName[]).map((name) => {
        const { count, first } = found.get(name) ?? { count: 0, first: [] };
        return { name, ok: count === 0, violation_count: count, violations: first };
      }),
  };
}
