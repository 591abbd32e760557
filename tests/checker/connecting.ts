import { hasSeats, isSeatCall, type Operation, push, type SeatCall, type Violation } from "./history.ts";

/** [I16] A seat is connected to once, and once more after each time it was held, in its own lobby, and not after it has ended. */
export function checkConnecting(history: readonly Operation[]): Violation[] {
  const calls = new Map<string, SeatCall[]>();
  for (const operation of history) {
    if (!isSeatCall(operation) || operation.outcome === "refused") continue;
    if (operation.outcome === "ok" || operation.type === "drop") push(calls, operation.playerId, operation);
  }
  const homes = new Map<string, string>();
  for (const admission of history.filter(hasSeats)) {
    for (const playerId of admission.playerIds) homes.set(playerId, admission.lobbyId!);
  }
  return [...calls].flatMap(([playerId, ofPlayer]) => {
    const violations: Violation[] = [];
    const connects = ofPlayer.filter(({ type }) => type === "connect");
    const violate = (message: string, operations: readonly Operation[]) =>
      violations.push({ rule: 16, message, operations });
    const drops = ofPlayer.filter(({ type }) => type === "drop");
    if (connects.length > 1 + drops.length)
      violate(`Player ${playerId} connected ${connects.length} times and dropped ${drops.length} times.`, connects);
    for (const connect of connects) {
      const home = homes.get(playerId);
      if (home !== undefined && home !== connect.lobbyId) {
        violate(`Player ${playerId} connected to lobby ${connect.lobbyId}, but its seat is in ${home}.`, [connect]);
      }
      const left = ofPlayer.find(({ type, end }) => type === "disconnect" && end < connect.start);
      if (left) violate(`Player ${playerId} connected after it had left.`, [left, connect]);
    }
    return violations;
  });
}
