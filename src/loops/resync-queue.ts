import { setTimeout as sleep } from "node:timers/promises";

/** Between two resyncs, so that a namespace with very many events is not read all the time. */
const pauseMs = 1_000;

/**
 * Resyncs namespaces whose events were lost: one at a time, and once for all gaps until then. Returns a function that
 * requests the resync of a namespace; true: it was not requested yet.
 */
export function createResyncQueue(
  resync: (namespaceId: string) => Promise<unknown>,
  onError: (error: unknown, namespaceId: string) => void,
): (namespaceId: string) => boolean {
  const wanted = new Set<string>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    for (let [next] = wanted; next !== undefined; [next] = wanted) {
      const namespaceId = next;
      wanted.delete(namespaceId);
      await resync(namespaceId).catch((error: unknown) => onError(error, namespaceId));
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
