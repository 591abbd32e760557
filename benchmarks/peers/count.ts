/** A room, and how many of its seats are taken. */
export interface RoomCount {
  readonly id: string;
  readonly taken: number;
}

export interface BurstCount {
  readonly players: number;
  readonly seated: number;
  readonly roomsMade: number;
  /** Rooms that were made though the others had space: more than the seated players fill. */
  readonly twins: number;
  /** Rooms that more players were sent to than they have seats. */
  readonly overfilled: number;
}

/** What a burst of players on an empty house came to: the room each player was sent to (null: refused), and the rooms there are. */
export function countBurst(
  sentTo: readonly (string | null)[],
  rooms: readonly RoomCount[],
  seatsPerRoom: number,
): BurstCount {
  const playersOf = new Map<string, number>();
  for (const room of sentTo) {
    if (room !== null) playersOf.set(room, (playersOf.get(room) ?? 0) + 1);
  }
  const seated = [...playersOf.values()].reduce((sum, players) => sum + players, 0);
  const roomsMade = new Set([...playersOf.keys(), ...rooms.map((room) => room.id)]).size;
  return {
    players: sentTo.length,
    seated,
    roomsMade,
    twins: Math.max(0, roomsMade - Math.ceil(seated / seatsPerRoom)),
    overfilled: [...playersOf.values()].filter((players) => players > seatsPerRoom).length,
  };
}

/** A find, and what it was sent to. */
export interface TimedFind {
  readonly startedAt: number;
  readonly room: string;
}

export interface LockCount {
  readonly locked: number;
  /** Finds that were sent after the first lock was acknowledged. */
  readonly findsAfter: number;
  /** Of those, the ones that got a room whose lock had been acknowledged before they were sent. */
  readonly stale: number;
}

export function countStale(finds: readonly TimedFind[], acknowledgedAt: ReadonlyMap<string, number>): LockCount {
  const firstAt = Math.min(...acknowledgedAt.values());
  return {
    locked: acknowledgedAt.size,
    findsAfter: finds.filter((find) => find.startedAt > firstAt).length,
    stale: finds.filter((find) => find.startedAt > (acknowledgedAt.get(find.room) ?? Number.POSITIVE_INFINITY)).length,
  };
}

export function takenSeats(rooms: readonly RoomCount[]): number {
  return rooms.reduce((sum, room) => sum + room.taken, 0);
}
