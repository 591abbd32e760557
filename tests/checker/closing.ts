import { type Admission, type Closing, type Making, type Operation, push, type Violation } from "./history.ts";

/** [I7] Once a close is answered, no find that starts later is given the lobby, until an open has begun. */
export function checkClosing(history: readonly Operation[]): Violation[] {
  const closings = closingsOf(history);
  const violations: Violation[] = [];
  for (const find of history) {
    if (find.type !== "find" || find.outcome !== "ok" || find.isReplay) continue;
    const ofLobby = closings.get(find.lobbyId!) ?? [];
    const close = ofLobby.find((one) => isSurelyClosedBy(one, find, ofLobby));
    if (close === undefined) continue;
    const message = `A find was given lobby ${find.lobbyId}, whose close was answered before the find began.`;
    violations.push({ rule: 7, message, operations: [close, find] });
  }
  return violations;
}

export function closingsOf(history: readonly Operation[]): Map<string, Closing[]> {
  const closings = new Map<string, Closing[]>();
  for (const operation of history) {
    if (operation.type === "close" || operation.type === "open") push(closings, operation.lobbyId, operation);
  }
  return closings;
}

function isSurelyClosedBy(close: Closing, find: Admission, ofLobby: readonly Closing[]): boolean {
  if (close.type !== "close" || close.outcome !== "ok" || close.end >= find.start) return false;
  // An open explains it if it may have been decided after the close and before the find.
  return !ofLobby.some(
    (open) => open.type === "open" && open.outcome !== "refused" && open.end > close.start && open.start < find.end,
  );
}

/** The lobby was open during the whole call, whichever way the calls around it were decided. */
export function isSurelyOpen(made: Making, call: Admission, ofLobby: readonly Closing[]): boolean {
  const possible = ofLobby.filter(({ outcome, start }) => outcome !== "refused" && start < call.end);
  const closes = possible.filter(({ type }) => type === "close");
  const opens = possible.filter(({ type, outcome }) => type === "open" && outcome === "ok");
  if (made.end > call.start || made.isPrivate) return false;
  // Each close has to be undone by an open that surely came after it and before the call.
  return closes.every((close) => opens.some((open) => open.start > close.end && open.end < call.start));
}
