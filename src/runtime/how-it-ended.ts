import type { LobbyExit } from "./runtime.ts";

/** What else is known about an end. */
interface EndFacts {
  readonly wasReady: boolean;
  /** The last line that the server wrote, fit for a terminal; empty: none. */
  readonly lastOutput: string;
  /** Its newest output. */
  readonly log: string;
}

/** How a lobby's server ended without being asked to, in words for the operator: the cause and its last line. */
export function describeExit(exit: LobbyExit, { wasReady, lastOutput, log }: EndFacts): string {
  const when = wasReady ? "" : " before it called ready";
  const last = lastOutput === "" ? "" : ` Last output: ${lastOutput}`;
  return `Its process ${howItEnded(exit, when, log)}.${last}`;
}

/** The same for one that ended while no service was there to see it. A container engine still knows how. */
export function describeMissedExit(exit: LobbyExit | null, facts: EndFacts): string {
  const isKnown = exit !== null && (exit.code !== null || exit.signal !== null);
  if (!isKnown) return "Its process ended while the service was down.";
  return `While the service was down: ${describeExit(exit, facts)}`;
}

function howItEnded({ code, signal, isOutOfMemory, memoryMib }: LobbyExit, when: string, log: string): string {
  if (isOutOfMemory && memoryMib)
    return `ran out of memory${when}: its container may use ${memoryMib} MiB (memory_mib)`;
  if (isOutOfMemory || (code !== 0 && outOfMemory.test(log))) return `ran out of memory${when}`;
  if (signal === "SIGKILL") {
    return `was killed by SIGKILL${when}, which Foyer did not send: the machine may be out of memory`;
  }
  if (signal) return `was ended by ${signal}${when}`;
  return code === null ? `ended${when}` : `exited with code ${code}${when}`;
}

/** What runtimes of common languages write when an allocation fails. */
const outOfMemory =
  /JavaScript heap out of memory|java\.lang\.OutOfMemoryError|std::bad_alloc|^MemoryError\b|fatal error: runtime: out of memory/m;
