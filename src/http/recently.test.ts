import { expect, test } from "vitest";
import { recently } from "./recently.ts";

test("[T66] concurrent calls, and calls within a second of the answer, share one answer", async () => {
  let [asked, time] = [0, 0];
  let answer = () => {};
  const ask = recently(
    () => {
      asked += 1;
      return new Promise<number>((resolve) => {
        answer = () => resolve(asked);
      });
    },
    () => time,
  );
  const first = Array.from({ length: 50 }, ask);
  time = 5000;
  first.push(ask());
  answer();
  expect(new Set(await Promise.all(first))).toEqual(new Set([1]));
  time = 5999;
  expect(await ask()).toBe(1);
  time = 6000;
  const second = ask();
  answer();
  expect([await second, asked]).toEqual([2, 2]);
});

test("[T66] a failure holds for a second too, and no longer", async () => {
  let [asked, time] = [0, 0];
  const ask = recently(
    async () => {
      asked += 1;
      if (asked === 1) throw new Error("away");
    },
    () => time,
  );
  await expect(ask()).rejects.toThrow("away");
  await expect(ask()).rejects.toThrow("away");
  time = 1000;
  await ask();
  expect(asked).toBe(2);
});
