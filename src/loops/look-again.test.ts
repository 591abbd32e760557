import { expect, test } from "vitest";
import { createLookAgain } from "./look-again.ts";

test("[RD15] what was not heard is looked at one namespace at a time, and once for all that was missed until then", async () => {
  const looks: string[] = [];
  const faults: string[] = [];
  let atOnce = 0;
  let release = () => {};
  const looked: (() => void)[] = [];
  const look = async (namespaceId: string) => {
    looks.push(namespaceId);
    atOnce += 1;
    expect(atOnce).toBe(1);
    if (namespaceId === "large" && looks.length === 1) await new Promise<void>((resolve) => (release = resolve));
    atOnce -= 1;
    looked.shift()?.();
    if (namespaceId === "broken") throw new Error("It is away.");
  };
  const lookAgain = createLookAgain(look, (_, namespaceId) => faults.push(namespaceId));
  const fourLooks = Promise.all(Array.from({ length: 4 }, () => new Promise<void>((resolve) => looked.push(resolve))));
  expect(lookAgain("large")).toBe(true);
  // While it is looked at, very much more is missed.
  const answers = Array.from({ length: 1000 }, () => lookAgain("large"));
  expect(answers.filter((isNew) => isNew)).toHaveLength(1);
  for (const namespaceId of ["broken", "other", "other"]) lookAgain(namespaceId);
  release();
  await fourLooks;
  expect(looks).toEqual(["large", "large", "broken", "other"]);
  expect(faults).toEqual(["broken"]);
});
