import {
  endLobby,
  endSeat,
  expiresAt,
  idleLobbies,
  idleMinimum,
  isDeployed,
  isTaken,
  type Model,
  type ModelLobby,
  takenIn,
  tell,
  tenMinutesMs,
} from "./model.ts";

/** What happens by itself: everything due by then, each thing as of its own time, the earliest first. */
export function advance(model: Model, now: number): void {
  const until = Math.max(now, model.clock);
  if (model.isRestarted) model.heardFrom = until;
  model.isRestarted = false;
  for (let next = firstDue(model); next !== undefined && next.at <= until; next = firstDue(model)) {
    model.clock = Math.max(model.clock, next.at);
    next.happen();
  }
  model.clock = until;
  const removedAt = model.configuration?.removedAt ?? null;
  if (removedAt !== null && removedAt + tenMinutesMs <= until) model.configuration = null;
}

/** When something is next due; null: never. */
export function nextDueAt(model: Model): number | null {
  const removedAt = model.configuration?.removedAt ?? null;
  const times = [firstDue(model)?.at, removedAt === null ? undefined : removedAt + tenMinutesMs];
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

/**
 * What is shown with when something is next due. Once heartbeat clocks have started over, an engine may look earlier than
 * there is something to do, but never later, and never at what is past.
 */
export function withNextDue<T>(model: Model, shown: T, wanted: T): T {
  const [early, due] = [nextDueIn(shown), nextDueIn(wanted)];
  if (model.heardFrom === 0 || early === null || due === null || early > due || early <= model.clock) return wanted;
  return { ...wanted, nextDueAt: early };
}

function nextDueIn(shown: unknown): number | null {
  return (shown as { nextDueAt?: number | null } | null)?.nextDueAt ?? null;
}

/**
 * The service was down: what is on the disk counts, and no lobby could send heartbeats. Where the state is shared, it was
 * there all the time.
 */
export function restart(model: Model, isStateShared: boolean): void {
  model.isRestarted = true;
  if (isStateShared) return;
  model.heardFrom = 0;
  for (const lobby of model.lobbies) lobby.lastHeartbeatAt = null;
  const times = [
    model.configuration?.removedAt,
    ...model.lobbies.flatMap((lobby) => [
      lobby.createdAt,
      lobby.readyAt,
      lobby.emptySince,
      lobby.silentSince,
      lobby.stoppedAt,
    ]),
    ...model.seats.flatMap((seat) => [seat.reservedAt, seat.connectedAt, seat.heldAt, seat.endedAt]),
  ];
  // The machine's clock may have been set back in between; time continues from the last known event.
  model.clock = Math.max(0, ...times.map((at) => at ?? 0));
}

interface Due {
  readonly at: number;
  /** At one moment seats come first, then lobbies, then keys, each by id. */
  readonly rank: string;
  happen(): void;
}

function firstDue(model: Model): Due | undefined {
  let first: Due | undefined;
  for (const due of allDue(model)) {
    if (first === undefined || due.at < first.at || (due.at === first.at && due.rank < first.rank)) first = due;
  }
  return first;
}

function* allDue(model: Model): Iterable<Due> {
  for (const seat of model.seats) {
    const rank = `0 ${seat.playerId}`;
    const deadline = expiresAt(model, seat);
    const end = seat.status === "held" ? "not_returned" : "expired";
    if (deadline !== null) yield { at: deadline, rank, happen: () => endSeat(model, seat, end) };
    if (!isTaken(seat)) {
      const happen = () => {
        model.seats = model.seats.filter((other) => other !== seat);
      };
      yield { at: seat.endedAt! + tenMinutesMs, rank, happen };
    }
  }
  for (const lobby of model.lobbies) yield* dueOfLobby(model, lobby);
  for (const key of model.keys) {
    const happen = () => {
      model.keys = model.keys.filter((other) => other !== key);
    };
    yield { at: key.createdAt + tenMinutesMs, rank: `2 ${key.clientId} ${key.key}`, happen };
  }
}

function* dueOfLobby(model: Model, lobby: ModelLobby): Iterable<Due> {
  const { readyMs, heartbeatMs } = lobby.made;
  const rank = (order: number) => `1 ${lobby.made.lobbyId} ${order}`;
  const end = (reason: "not_ready" | "empty" | "outdated" | "silent") => () => endLobby(model, lobby, reason, null);
  if (lobby.stoppedAt !== null) {
    const happen = () => {
      model.lobbies = model.lobbies.filter((other) => other !== lobby);
    };
    yield { at: lobby.stoppedAt + tenMinutesMs, rank: rank(0), happen };
    return;
  }
  if (lobby.readyAt === null) yield { at: lobby.createdAt + readyMs, rank: rank(0), happen: end("not_ready") };
  const emptyAt = emptyDueAt(model, lobby);
  if (emptyAt !== null) {
    yield { at: emptyAt, rank: rank(1), happen: end(isDeployed(model, lobby) ? "empty" : "outdated") };
  }
  if (heartbeatMs === 0 || lobby.isMute || lobby.readyAt === null) return;
  if (lobby.silentSince !== null) {
    yield { at: Math.max(lobby.silentSince, model.heardFrom) + 10 * heartbeatMs, rank: rank(2), happen: end("silent") };
  } else {
    const happen = () => {
      lobby.silentSince = model.clock;
      tell(model, "lobby.changed", lobby);
    };
    const from = Math.max(lobby.readyAt, lobby.lastHeartbeatAt ?? 0, model.heardFrom);
    yield { at: from + heartbeatMs, rank: rank(2), happen };
  }
}

function emptyDueAt(model: Model, lobby: ModelLobby): number | null {
  const { made } = lobby;
  if (made.isExternal || takenIn(model, lobby).length > 0) return null;
  if (!isDeployed(model, lobby)) return lobby.emptySince;
  if (lobby.readyAt === null) return null;
  // The oldest idle lobbies that are ready are kept, as many as the game mode wants.
  const kept = idleMinimum(model, made.gameMode, made.region);
  if (kept > 0) {
    const ready = idleLobbies(model, made.gameMode, made.region).filter((idle) => idle.readyAt !== null);
    if (ready.slice(0, kept).includes(lobby)) return null;
  }
  return Math.max(lobby.readyAt, lobby.emptySince) + made.emptyMs;
}
