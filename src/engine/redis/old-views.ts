import { lobbyLine } from "./redis-fields.ts";

/** What was written to Redis before record format 3 and may still be there. New fields do not concern this file. */

/** The order of the line in events. The first ones ended before the last name. */
const oldLineOrder = [
  ...["status", "isClosed", "isOutdated", "reserved", "connected", "createdAt", "readyAt", "lastHeartbeatAt"],
  ...["silentSince", "emptySince", "peakSeats", "stoppedAt", "stopReason", "operatorClose"],
];

/** The line of an event in today's order. */
export function reorderOldLine(line: string): string {
  const parts = line.split(",");
  const facts: Record<string, string | undefined> = Object.fromEntries(
    oldLineOrder.map((name, at) => [name, parts[at]]),
  );
  facts.isSilent = facts.silentSince === "" ? "0" : "1";
  const names = lobbyLine.filter(([, { since }]) => since === undefined).map(([name]) => name);
  return names.map((name) => facts[name] ?? "").join(",");
}

/** Times were together in an object of their own. */
export function flattenMade(made: { readonly timeouts?: object }): object {
  return made.timeouts === undefined ? made : Object.assign(made, made.timeouts);
}
