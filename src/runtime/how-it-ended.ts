import { shortLine } from "../ground/plain-line.ts";
import { readLastWords } from "./last-words.ts";
import type { LobbyExit } from "./runtime.ts";

/** What else is known about an end. */
interface EndFacts {
  readonly wasReady: boolean;
  /** Its newest output. */
  readonly output: string;
}

/** How a lobby's server ended without being asked to, in words for the operator: the cause and its last words. */
export function describeExit(exit: LobbyExit, { wasReady, output }: EndFacts): string {
  const when = wasReady ? "" : " before it called ready";
  const words = readLastWords(output);
  const last = words === "" ? "" : ` Last output: ${words}`;
  return shortLine(`Its process ${howItEnded(exit, when, output)}.${last}`, messageMax);
}

const messageMax = 480;

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
  if (code === killedCode) {
    return `exited with code ${code}${when}: its program was killed by SIGKILL, which Foyer did not send: the machine may be out of memory`;
  }
  return code === null ? `ended${when}` : `exited with code ${code}${when}`;
}

/** What a shell exits with when the program that it runs was ended by SIGKILL. */
const killedCode = 128 + 9;

/** What runtimes of common languages write when an allocation fails. */
const outOfMemory =
  /JavaScript heap out of memory|java\.lang\.OutOfMemoryError|std::bad_alloc|^MemoryError\b|fatal error: runtime: out of memory/m;
