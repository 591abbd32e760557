import {
  hasSeats,
  type Making,
  mostAtOnce,
  type Operation,
  type Options,
  push,
  type Seat,
  seatsOf,
  type Violation,
} from "./history.ts";

/** [I1] Finds fill a lobby to its capacity, joins to its direct capacity, never beyond. */
export function checkCapacity(history: readonly Operation[], options: Options): Violation[] {
  const seats = new Map<string, Seat[]>();
  for (const seat of seatsOf(history, options)) push(seats, seat.lobbyId, seat);
  const violations: Violation[] = [];
  for (const made of history.filter((one): one is Making => one.type === "make" && one.outcome !== "refused")) {
    const ofLobby = seats.get(made.lobbyId) ?? [];
    const { most, at } = mostAtOnce(ofLobby);
    const largest = Math.max(made.capacity, made.directCapacity);
    if (most > largest) {
      const held = ofLobby.filter(({ from, until }) => from <= at && at < until).map(({ admission }) => admission);
      const message = `Lobby ${made.lobbyId} held ${most} players where ${largest} may be.`;
      violations.push({ rule: 1, message, operations: [made, ...new Set(held)] });
    }
    for (const admission of new Set(ofLobby.map((seat) => seat.admission))) {
      const cap = admission.type === "join" ? made.directCapacity : made.capacity;
      const before = ofLobby.filter(({ from, until }) => from <= admission.start && until >= admission.end);
      const taken = before.length + admission.playerIds.length;
      if (taken <= cap) continue;
      const message = `A ${admission.type} filled lobby ${made.lobbyId} to ${taken} of ${cap}.`;
      violations.push({ rule: 1, message, operations: [made, admission] });
    }
  }
  return violations;
}

/** [I4] A party gets as many seats as it asked for, all different. */
export function checkParties(history: readonly Operation[]): Violation[] {
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const admission of history.filter(hasSeats)) {
    const { playerIds, seats } = admission;
    const isWhole = playerIds.length === seats && playerIds.every((playerId) => !seen.has(playerId));
    for (const playerId of playerIds) seen.add(playerId);
    if (isWhole) continue;
    const message = `A party of ${seats} was given ${playerIds.length} seats, or some that others have.`;
    violations.push({ rule: 4, message, operations: [admission] });
  }
  return violations;
}

/** [I5] No client holds more seats at once than it may. */
export function checkClients(history: readonly Operation[], options: Options & { perClientMax: number }): Violation[] {
  const { perClientMax } = options;
  const seats = new Map<string, Seat[]>();
  for (const seat of seatsOf(history, options)) push(seats, seat.clientId, seat);
  return [...seats].flatMap(([clientId, ofClient]) => {
    const { most, at } = mostAtOnce(ofClient);
    if (most <= perClientMax) return [];
    const held = ofClient.filter(({ from, until }) => from <= at && at < until).map(({ admission }) => admission);
    const message = `Client ${clientId} held ${most} seats where ${perClientMax} are allowed.`;
    return [{ rule: 5, message, operations: [...new Set(held)] }];
  });
}

/** [I15] No more lobbies live at once than may. */
export function checkLobbyCount(history: readonly Operation[], lobbyCountMax: number): Violation[] {
  const stops = new Map<string, number>();
  for (const operation of history) {
    if (operation.type !== "stop" || operation.outcome === "refused") continue;
    stops.set(operation.lobbyId, Math.min(operation.start, stops.get(operation.lobbyId) ?? Infinity));
  }
  const lives = history
    .filter((one): one is Making => one.type === "make" && one.outcome === "ok")
    .map((made) => ({ made, from: made.end, until: stops.get(made.lobbyId) ?? Infinity }));
  const { most, at } = mostAtOnce(lives);
  if (most <= lobbyCountMax) return [];
  const living = lives.filter(({ from, until }) => from <= at && at < until).map(({ made }) => made);
  return [{ rule: 15, message: `${most} lobbies lived where ${lobbyCountMax} may.`, operations: living }];
}
