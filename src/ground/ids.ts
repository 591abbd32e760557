import { randomFillSync } from "node:crypto";

const idBytes = 8;
const pool = Buffer.alloc(idBytes * 512);

/**
 * Makes UUIDs of version 7: they sort by creation time, and the ids of one generator never collide or go backwards,
 * even when the clock does. Random bits come from a pool, because asking the system each time is slow.
 */
export function createIds(now: () => number): () => string {
  let random = "";
  let used = 0;
  let lastMs = 0;
  let time = "";
  let sequence = 0;

  function begin(ms: number, firstSequence: number): void {
    const digits = ms.toString(16).padStart(12, "0");
    lastMs = ms;
    time = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
    sequence = firstSequence;
  }

  return () => {
    if (used === random.length) {
      random = randomFillSync(pool).toString("hex");
      used = 0;
    }
    const bits = random.slice(used, used + 2 * idBytes);
    used += 2 * idBytes;
    const ms = now();
    // Starts low, so that thousands of ids fit into one millisecond before the next millisecond is used.
    if (ms > lastMs) begin(ms, Number.parseInt(bits.slice(0, 2), 16));
    else if (++sequence > 0xfff) begin(lastMs + 1, 0);

    const variant = "89ab"[bits.charCodeAt(15) & 3];
    return `${time}${sequence.toString(16).padStart(3, "0")}-${variant}${bits.slice(0, 3)}-${bits.slice(3, 15)}`;
  };
}

/** Short ids for requests: unique within the installation, cheap, and in order within one process. */
export function createRequestIds(processId: string): () => string {
  let count = 0;
  return () => `${processId}-${(++count).toString(36)}`;
}
