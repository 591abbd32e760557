import { checkClosing } from "./closing.ts";
import { checkConnecting } from "./connecting.ts";
import { checkCapacity, checkClients, checkLobbyCount, checkParties } from "./counting.ts";
import type { Operation, Options, Violation } from "./history.ts";
import { checkTwins } from "./twins.ts";

export interface Limits extends Options {
  /** Null: no limit. */
  readonly perClientMax: number | null;
  readonly lobbyCountMax: number | null;
}

/** Everything that can be said about a history whose limits never changed. Nothing, if all is well. */
export function checkHistory(history: readonly Operation[], limits: Limits): Violation[] {
  const { perClientMax, lobbyCountMax } = limits;
  return [
    ...checkCapacity(history, limits),
    ...checkParties(history),
    ...(perClientMax === null ? [] : checkClients(history, { ...limits, perClientMax })),
    ...checkClosing(history),
    ...checkTwins(history, limits),
    ...(lobbyCountMax === null ? [] : checkLobbyCount(history, lobbyCountMax)),
    ...checkConnecting(history),
  ];
}

/** For a person: what is wrong, with the calls that show it. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations
    .slice(0, 10)
    .map(({ rule, message, operations }) =>
      [`[I${rule}] ${message}`, ...operations.slice(0, 12).map((operation) => `    ${JSON.stringify(operation)}`)].join(
        "\n",
      ),
    )
    .join("\n");
}
