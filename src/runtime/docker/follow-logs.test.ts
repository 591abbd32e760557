import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { followLogs } from "./follow-logs.ts";

test("[RT9] each time the engine answers, the pauses between reads of a log begin again at the shortest", async () => {
  let reads = 0;
  // Cast: of the engine and the copy only what is called here. Pauses that grew on would soon be hours.
  const engine = { open: async () => Readable.from([]) } as unknown as Parameters<typeof followLogs>[0];
  const copy = { since: () => undefined, copy: async () => {} } as unknown as Parameters<typeof followLogs>[2];
  await new Promise<void>((resolve) => {
    const follower = followLogs(engine, "/containers/x", copy, { firstMs: 1, maxMs: 3_600_000 }, () => {
      reads += 1;
      if (reads < 30) return;
      follower.close();
      resolve();
    });
  });
  expect(reads).toBe(30);
});
