import type { LobbyExit } from "./runtime.ts";

/** How a lobby's process ended, in words for the operator. */
export function describeExit({ code, signal }: LobbyExit, wasReady: boolean): string {
  const how = signal ? `was ended by ${signal}` : code === null ? "ended" : `ended with exit code ${code}`;
  return `Its process ${how}${wasReady ? "" : " before it was ready"}.`;
}
