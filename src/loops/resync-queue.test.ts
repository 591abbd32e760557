import { expect, test } from "vitest";
import { createResyncQueue } from "./resync-queue.ts";

test("[RD15] namespaces whose events were lost are resynced one at a time, and once for all gaps until then", async () => {
  const resynced: string[] = [];
  const failed: string[] = [];
  let atOnce = 0;
  let release = () => {};
  const waiting: (() => void)[] = [];
  const resync = async (namespaceId: string) => {
    resynced.push(namespaceId);
    atOnce += 1;
    expect(atOnce).toBe(1);
    if (namespaceId === "large" && resynced.length === 1) await new Promise<void>((resolve) => (release = resolve));
    atOnce -= 1;
    waiting.shift()?.();
    if (namespaceId === "broken") throw new Error("It is away.");
  };
  const askResync = createResyncQueue(resync, (_, namespaceId) => failed.push(namespaceId));
  const four = Promise.all(Array.from({ length: 4 }, () => new Promise<void>((resolve) => waiting.push(resolve))));
  expect(askResync("large")).toBe(true);
  // Very many more events are lost while it is resynced.
  const answers = Array.from({ length: 1000 }, () => askResync("large"));
  expect(answers.filter((isNew) => isNew)).toHaveLength(1);
  for (const namespaceId of ["broken", "other", "other"]) askResync(namespaceId);
  release();
  await four;
  expect(resynced).toEqual(["large", "large", "broken", "other"]);
  expect(failed).toEqual(["broken"]);
});
