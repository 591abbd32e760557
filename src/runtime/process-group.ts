import { setTimeout as sleep } from "node:timers/promises";

/** Sends a signal to a process or to its whole group. A process that has already ended is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0, whom: "group" | "this one"): boolean {
  try {
    process.kill(whom === "group" ? -pid : pid, signal);
    return true;
  } catch {
    return false;
  }
}

const lookEveryMs = 20;
const afterKillMs = 1_000;

/**
 * Resolves when no process of the group is left. Processes that outlive the leader have the same time to end as the
 * leader had and are then killed. A process that survives even that (stuck in the kernel) is ignored.
 */
export async function waitForGroupEnd(pid: number, graceMs: number): Promise<void> {
  const startedAt = performance.now();
  let isKilled = false;
  while (signalGroup(pid, 0, "group")) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > graceMs + afterKillMs) return;
    if (waitedMs > graceMs && !isKilled) isKilled = signalGroup(pid, "SIGKILL", "group");
    await sleep(lookEveryMs);
  }
}
