import { expect, test } from "vitest";
import { createStopOrder } from "./stop-order.ts";

test("what was opened is closed in reverse, the rest also after a step that failed, and the first error is thrown", async () => {
  const order = createStopOrder();
  const closed: string[] = [];
  order.add(async () => void closed.push("first"));
  order.add(() => Promise.reject(new Error("of the second")));
  order.add(() => void closed.push("third"));
  order.add(() => {
    throw new Error("of the fourth");
  });
  order.add(({ haveLobbiesEnded }) => void closed.push(`last ${haveLobbiesEnded}`));
  await expect(order.closeAll({ haveLobbiesEnded: true })).rejects.toThrow("of the fourth");
  expect(closed).toEqual(["last true", "third", "first"]);
});
