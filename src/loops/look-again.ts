import { setTimeout as sleep } from "node:timers/promises";

/** Between two looks, so that a namespace in which very much happens is not looked at all the time. */
const pauseMs = 1_000;

/**
 * Looks at namespaces of which something was not heard: one at a time, and once for all that was missed until then. Gives a
 * function that says which one; true: nobody was to look at it yet.
 */
export function createLookAgain(
  look: (namespaceId: string) => Promise<unknown>,
  onFault: (fault: unknown, namespaceId: string) => void,
): (namespaceId: string) => boolean {
  const wanted = new Set<string>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [next] = wanted; next !== undefined; [next] = wanted) {
      const namespaceId = next;
      wanted.delete(namespaceId);
      await look(namespaceId).catch((fault: unknown) => onFault(fault, namespaceId));
      await sleep(pauseMs, undefined, { ref: false });
    }
    isRunning = false;
  }

  return (namespaceId) => {
    if (wanted.has(namespaceId)) return false;
    wanted.add(namespaceId);
    if (!isRunning) void run();
    return true;
  };
}
