import { setTimeout as sleep } from "node:timers/promises";

/** Sends a signal to a process or to all of its group. A process that is gone already is as good. */
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
 * Resolves when nothing of the group is left. What its leader has left behind has the same time to end as the leader
 * had and is then killed; what even that does not end (a process stuck in the kernel) is given up.
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
